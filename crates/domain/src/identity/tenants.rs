//! A tenant: its name, its plan, and whether it is suspended.

pub use crate::base::tenant_id::{NotATenantId, TenantId};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Tenant {
    pub id: TenantId,
    pub name: String,
    pub plan: String,
    #[serde(serialize_with = "crate::base::time::as_rfc3339")]
    pub created_at: crate::Timestamp,
    /// Since when its credentials are refused and none of its messages and webhooks leave; none: it is active.
    #[serde(serialize_with = "crate::base::time::as_optional_rfc3339")]
    pub suspended_at: Option<crate::Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_is_shown_with_the_time_of_its_creation() {
        let created_at = crate::Timestamp::from_seconds(1_776_000_000);
        let (name, plan) = ("Acme".into(), "unlimited".into());
        let mut tenant = Tenant { id: TenantId::FIRST, name, plan, created_at, suspended_at: None };
        assert_eq!(
            serde_json::to_string(&tenant).unwrap(),
            r#"{"id":"100001","name":"Acme","plan":"unlimited","created_at":"2026-04-12T13:20:00.000Z","suspended_at":null}"#
        );
        tenant.suspended_at = Some(created_at);
        let shown = serde_json::to_value(&tenant).unwrap();
        assert_eq!(shown["suspended_at"], shown["created_at"]);
    }
}
