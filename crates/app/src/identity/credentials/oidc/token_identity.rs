//! The identity in a verified token.

use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::{TenantId, Timestamp};

/// Who a verified token of an issuer is about, and what the issuer lets it do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcIdentity {
    pub issuer: String,
    pub subject: String,
    /// `None` if the claim is missing or names a tenant that the issuer may not name.
    pub tenant: Option<TenantId>,
    pub role: Role,
    pub scopes: ScopeSet,
    pub expires_at: Timestamp,
}
