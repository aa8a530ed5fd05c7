//! HTTP: the edge, the gate, the operations of V1, V2 and V3, hooks, the console's API, error bodies and the OpenAPI
//! document. It holds wire shapes; rules live in `app` and `domain`.

// Types that only descriptions name. With the feature, as in tests, the compiler still reports what is unused.
#![cfg_attr(not(feature = "document"), allow(unused_imports, dead_code))]

mod answer;
mod console;
#[cfg(feature = "document")]
mod document;
mod edge;
mod error;
mod gate;
mod hooks;
mod input;
mod links;
mod ops;
mod prelude;
mod routes;
mod routing;
mod shared;
mod state;
mod v1;
mod v2;
mod v3;

#[cfg(feature = "document")]
pub use document::{console_openapi, openapi};
pub use edge::{Bounds, ControlSocketApi, Edge, TENANT_HEADER, refusal, share_in_connection};
pub use error::{catalogue, spelled, spelled_text};
pub use routes::Routes;
#[cfg(not(feature = "document"))]
pub use routes::openapi;
pub use state::{EdgeSettings, Metrics, ShownSetting};
