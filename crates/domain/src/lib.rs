//! What things are and which rules hold. No I/O, no async, no SQL, no HTTP.

pub mod accounts;
pub mod broadcasts;
pub mod bsuid;
pub mod calls;
pub mod change;
pub mod channels;
pub mod clock;
pub mod contacts;
pub mod conversations;
pub mod hex;
pub mod id;
pub mod keys;
pub mod messages;
mod named;
pub mod networks;
pub mod pacing;
pub mod passwords;
pub mod permission;
pub mod phone;
pub mod plans;
pub mod roles;
pub mod scopes;
pub mod templates;
pub mod tenants;
pub mod time;
pub mod tokens;

pub use change::Change;
pub use clock::Clock;
pub use id::Id;
pub use tenants::TenantId;
pub use time::Timestamp;
