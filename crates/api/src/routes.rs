//! The routes of all versions, hooks, links and the console, in one router.

use std::sync::Arc;

use axum::Router;

use crate::edge::compression::{console_holds_secrets, holds_secrets};
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
    /// Routes whose responses may contain a secret.
    secret: Arc<Paths>,
}

impl Default for Routes {
    fn default() -> Self {
        let operations = v3::operations();
        let v3 = operations.router.clone();
        let operations = operations_with(operations);
        let documented = || operations.paths.iter().copied();
        let by_session: Vec<_> = documented().filter_map(console_path).collect();
        let session_operations = console::session_operations();
        let by_session = by_session.iter().map(String::as_str).chain(session_operations.paths.iter().copied());
        let secret = Arc::new(Paths::new(secret_paths(&operations, &session_operations).iter().map(String::as_str)));
        let paths = documented().chain(ops::UNDOCUMENTED).chain(console::PAGES).chain(by_session);
        let paths = Arc::new(Paths::new(paths));
        let router = operations.router.merge(ops::undocumented()).merge(console::pages());
        let router = router.merge(session_operations.router);
        Self { router, v3: with_fallbacks(v3), paths, secret }
    }
}

impl Routes {
    /// The router, all paths, and the paths of routes whose responses may contain a secret.
    pub(crate) fn with_state(self, state: &ApiState) -> (Router, Arc<Paths>, Arc<Paths>) {
        let v3 = self.v3.with_state(state.clone());
        let by_session = console::operations::by_session(v3);
        let router = self.router.nest_service(CONSOLE, by_session);
        (with_fallbacks(router).with_state(state.clone()), self.paths, self.secret)
    }
}

/// The routes whose responses are never compressed, ordered by path.
fn secret_paths(documented: &Operations, session_operations: &Operations) -> Vec<String> {
    let secret = || documented.paths.iter().copied().filter(|path| holds_secrets(path));
    let own = session_operations.paths.iter().copied().chain(console::PAGES).filter(|path| console_holds_secrets(path));
    let mut paths: Vec<String> = secret().filter_map(console_path).collect();
    paths.extend(secret().chain(own).map(str::to_owned));
    paths.sort_unstable();
    paths
}

fn with_fallbacks(router: Router<ApiState>) -> Router<ApiState> {
    router.fallback(fallback::not_found).method_not_allowed_fallback(fallback::method_not_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reviewed list. A new console-only operation is on it unless `edge/compression.rs` says that its responses
    /// contain no secret.
    const NEVER_COMPRESSED: &[&str] = &[
        "/api/ext/v3/webhooks",
        "/api/ext/v3/webhooks/{id}",
        "/api/ext/v3/webhooks/{id}/rotate-secret",
        "/c/{code}",
        "/console/api/account",
        "/console/api/accounts",
        "/console/api/accounts/{id}",
        "/console/api/accounts/{id}/link",
        "/console/api/accounts/{id}/second-factors",
        "/console/api/alerts",
        "/console/api/alerts/confirm",
        "/console/api/alerts/confirmations",
        "/console/api/alerts/test",
        "/console/api/console-access",
        "/console/api/invitations",
        "/console/api/legacy-token",
        "/console/api/legacy-tokens",
        "/console/api/legacy-tokens/{id}",
        "/console/api/live",
        "/console/api/log-in-options",
        "/console/api/log-out-everywhere",
        "/console/api/password",
        "/console/api/password-reset",
        "/console/api/second-factors",
        "/console/api/second-factors/passkeys",
        "/console/api/second-factors/passkeys/{id}",
        "/console/api/second-factors/recovery-codes",
        "/console/api/second-factors/totp",
        "/console/api/security",
        "/console/api/session",
        "/console/api/session/join",
        "/console/api/session/second-factor",
        "/console/api/session/second-factor/passkey",
        "/console/api/session/tenant",
        "/console/api/session/tenants",
        "/console/api/sessions",
        "/console/api/sessions/{id}",
        "/console/api/set-up",
        "/console/api/set-up/accept",
        "/console/api/set-up/inspect",
        "/console/api/settings",
        "/console/api/tenant",
        "/console/api/tokens",
        "/console/api/tokens/{id}",
        "/console/api/tokens/{id}/renew",
        "/console/api/webhooks",
        "/console/api/webhooks/{id}",
        "/console/api/webhooks/{id}/rotate-secret",
        "/console/oidc/{id}",
        "/console/oidc/{id}/callback",
        "/hooks/whatsapp/{channel_id}",
        "/{tenantId}/api/v1/rotateToken",
        "/{tenantId}/api/v2/webhookEndpoints",
    ];

    #[test]
    fn answers_that_may_hold_a_secret_are_never_compressed() {
        let documented = operations_with(v3::operations());
        let own = console::session_operations();
        let secret = secret_paths(&documented, &own);
        assert_eq!(secret, NEVER_COMPRESSED);
        let by_session: Vec<String> = documented.paths.iter().copied().filter_map(console_path).collect();
        let all = documented.paths.iter().chain(&own.paths).copied().chain(by_session.iter().map(String::as_str));
        let words = ["log-in", "session", "token", "secret", "link", "password", "factor", "invit", "set-up"];
        let named = |path: &str| {
            let path = path.to_ascii_lowercase();
            words.iter().any(|word| path.contains(word)) && !path.contains("/sendsession")
        };
        let missing: Vec<&str> = all.filter(|path| named(path) && !secret.iter().any(|one| one == path)).collect();
        assert_eq!(missing, Vec::<&str>::new(), "these look like secrets and are compressed");
    }

    /// Routes without a credential that are in no document: those of `console` and `ops` here, and the pages of the
    /// server (`server/src/serve/console.rs`).
    fn undocumented() -> Vec<String> {
        let pages = ["/", "/console/…", "/docs/…", "/api/docs/…", "/metrics"];
        assert_eq!(ops::UNDOCUMENTED, ["/api/docs", "/metrics"], "a new one is public: add it here");
        let pages = pages.into_iter().map(str::to_owned);
        pages.chain(console::PAGES.iter().map(|path| format!("GET {path}"))).collect()
    }

    /// The routes that the page names: `METHOD /path` in the first column of the table.
    fn in_threat_model() -> Vec<String> {
        let page = include_str!("../../../docs/threat-model.md");
        let (_, section) = page.split_once("\n## Without a credential\n").unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let names = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).filter(|name| name.contains('/'));
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_threat_model_names_every_route_without_a_credential() {
        let mut public = undocumented();
        for operations in [operations_with(v3::operations()), console::session_operations()] {
            let document = serde_json::to_value(&operations.document).unwrap();
            for (path, item) in document["paths"].as_object().unwrap() {
                let operations = item.as_object().unwrap().iter();
                let without = operations.filter(|(_, it)| it["x-service-permissions"]["public"] == true);
                public.extend(without.map(|(method, _)| format!("{} {path}", method.to_uppercase())));
            }
        }
        public.sort_unstable();
        assert_eq!(in_threat_model(), public);
    }
}
