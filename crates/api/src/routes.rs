//! The routes of all versions, hooks, links and the console, in one router.

use std::sync::Arc;

use axum::Router;

use crate::edge::fallback;
use crate::edge::paths::{CONSOLE, Paths, console_path};
use crate::routing::Operations;
use crate::state::ApiState;
use crate::{console, hooks, links, ops, v1, v2, v3};

/// The OpenAPI document as JSON: the committed one, since there are no descriptions to collect it from.
#[cfg(not(feature = "document"))]
pub fn openapi() -> std::borrow::Cow<'static, str> {
    include_str!("../../../openapi/switchboard.json").into()
}

/// Every operation in the OpenAPI document, each behind the gate.
pub(crate) fn operations_with(v3: Operations) -> Operations {
    v3.merge(v1::operations())
        .merge(v2::operations())
        .merge(links::operations())
        .merge(hooks::operations())
        .merge(ops::operations())
}

/// All routes, before they get a state. With the feature `document` this also collects the OpenAPI document, which
/// takes most of an edge's start; a process with several edges (the tests) builds them once and clones them.
#[derive(Debug, Clone)]
pub struct Routes {
    router: Router<ApiState>,
    v3: Router<ApiState>,
    paths: Arc<Paths>,
}

impl Default for Routes {
    fn default() -> Self {
        let operations = v3::operations();
        let v3 = operations.router.clone();
        let operations = operations_with(operations);
        let documented = || operations.paths.iter().copied();
        let by_session: Vec<_> = documented().filter_map(console_path).collect();
        let session_operations = console::session_operations();
        let by_session = by_session.iter().map(String::as_str).chain(session_operations.paths);
        let paths = documented().chain(ops::UNDOCUMENTED).chain(console::PAGES).chain(by_session);
        let paths = Arc::new(Paths::new(paths));
        let router = operations.router.merge(ops::undocumented()).merge(console::pages());
        let router = router.merge(session_operations.router);
        Self { router, v3: with_fallbacks(v3), paths }
    }
}

impl Routes {
    pub(crate) fn with_state(self, state: &ApiState) -> (Router, Arc<Paths>) {
        let v3 = self.v3.with_state(state.clone());
        let by_session = console::operations::by_session(v3);
        let router = self.router.nest_service(CONSOLE, by_session);
        (with_fallbacks(router).with_state(state.clone()), self.paths)
    }
}

fn with_fallbacks(router: Router<ApiState>) -> Router<ApiState> {
    router.fallback(fallback::not_found).method_not_allowed_fallback(fallback::method_not_allowed)
}
