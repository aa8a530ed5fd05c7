//! Roles that operations of the console require, and paths that are named in more than one place.

use domain::identity::roles::{DEVELOPERS, Role};

pub(super) const SESSION: &str = "/console/api/session";
pub(super) const OIDC: &str = "/console/oidc/{id}";
pub(super) const OIDC_CALLBACK: &str = "/console/oidc/{id}/callback";

/// Pages of the log-in at an OpenID Connect provider, for the edge, which corrects the spelling of paths in requests
/// (`edge/paths.rs`).
pub(crate) const PAGES: [&str; 2] = [OIDC, OIDC_CALLBACK];

pub(super) const ALL_ROLES: &[Role] = &Role::OF_ACCOUNTS;
pub(super) const TOKEN_OWNERS: &[Role] = DEVELOPERS;
pub(super) const ADMINISTRATORS: &[Role] = &[Role::Administrator];
