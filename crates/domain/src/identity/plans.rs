//! Plans: the features, rate limits and monthly quota of a tenant. Plans are configured.

use std::collections::{BTreeMap, BTreeSet};

/// A part of the product that a plan may exclude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    Calls,
    Contacts,
    Payments,
    Campaigns,
    Webhooks,
    Chatbots,
    /// Changing the attributes of many contacts in one call.
    BulkAttributes,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error(
        "unknown feature {0:?}; expected calls, contacts, payments, campaigns, webhooks, chatbots or bulk_attributes"
    )]
    UnknownFeature(String),
    #[error("unknown endpoint family {0:?}; expected contacts, messages_read, template_sends or other")]
    UnknownFamily(String),
}

impl Feature {
    pub const ALL: [Self; 7] = [
        Self::Calls,
        Self::Contacts,
        Self::Payments,
        Self::Campaigns,
        Self::Webhooks,
        Self::Chatbots,
        Self::BulkAttributes,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Contacts => "contacts",
            Self::Payments => "payments",
            Self::Campaigns => "campaigns",
            Self::Webhooks => "webhooks",
            Self::Chatbots => "chatbots",
            Self::BulkAttributes => "bulk_attributes",
        }
    }

    /// A privilege of the higher plans, rather than a part of the product that is switched on.
    pub const fn is_privilege(self) -> bool {
        matches!(self, Self::BulkAttributes)
    }

    pub fn named(name: &str) -> Result<Self, PlanError> {
        let known = Self::ALL.into_iter().find(|feature| feature.name() == name);
        known.ok_or_else(|| PlanError::UnknownFeature(name.to_owned()))
    }
}

/// Operations of the API that share one rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Contacts,
    MessagesRead,
    TemplateSends,
    Other,
}

impl Family {
    pub const ALL: [Self; 4] = [Self::Contacts, Self::MessagesRead, Self::TemplateSends, Self::Other];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Contacts => "contacts",
            Self::MessagesRead => "messages_read",
            Self::TemplateSends => "template_sends",
            Self::Other => "other",
        }
    }

    pub fn named(name: &str) -> Result<Self, PlanError> {
        let known = Self::ALL.into_iter().find(|family| family.name() == name);
        known.ok_or_else(|| PlanError::UnknownFamily(name.to_owned()))
    }
}

/// Features and limits of a tenant on this plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub name: String,
    pub features: BTreeSet<Feature>,
    /// Calls in a calendar month (UTC); None: no limit.
    pub monthly_calls: Option<u64>,
    /// Calls in a window of ten seconds; an absent family has no limit.
    pub rates: BTreeMap<Family, u64>,
}

/// Seconds in one rate window.
pub const RATE_WINDOW_SECONDS: i64 = 10;

/// How many times a rate of the plan an account may use in the console, in a window of its own: a page makes several
/// requests at once.
pub const SESSION_RATE_FACTOR: u64 = 10;

/// The plans of this installation by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plans(BTreeMap<String, std::sync::Arc<Plan>>);

/// The plan of a tenant by default.
pub const DEFAULT_PLAN: &str = "unlimited";

impl Plans {
    pub fn new(plans: impl IntoIterator<Item = Plan>) -> Self {
        Self(plans.into_iter().map(|plan| (plan.name.clone(), std::sync::Arc::new(plan))).collect())
    }

    pub fn get(&self, name: &str) -> Option<&std::sync::Arc<Plan>> {
        self.0.get(name)
    }

    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_and_families_read_back_by_their_names() {
        for (feature, name) in Feature::ALL.into_iter().zip([
            "calls",
            "contacts",
            "payments",
            "campaigns",
            "webhooks",
            "chatbots",
            "bulk_attributes",
        ]) {
            assert_eq!((feature.name(), Feature::named(name)), (name, Ok(feature)));
            assert_eq!(feature.is_privilege(), feature == Feature::BulkAttributes);
        }
        for (family, name) in Family::ALL.into_iter().zip(["contacts", "messages_read", "template_sends", "other"]) {
            assert_eq!((family.name(), Family::named(name)), (name, Ok(family)));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_all_that_are_known() {
        let feature = Feature::named("Calls").unwrap_err();
        assert_eq!(feature, PlanError::UnknownFeature("Calls".into()));
        assert!(Feature::ALL.iter().all(|known| feature.to_string().contains(known.name())));
        let family = Family::named("").unwrap_err();
        assert_eq!(family, PlanError::UnknownFamily(String::new()));
        assert!(Family::ALL.iter().all(|known| family.to_string().contains(known.name())));
    }

    #[test]
    fn plans_are_found_by_name_and_listed_in_order() {
        let plan = |name: &str, monthly| Plan { name: name.into(), monthly_calls: monthly, ..Plan::default() };
        let plans = Plans::new([plan("pro", Some(5)), plan("free", None)]);
        assert_eq!(plans.names(), ["free", "pro"]);
        assert_eq!(plans.get("pro").map(|plan| plan.monthly_calls), Some(Some(5)));
        assert!(plans.get("Pro").is_none());
    }
}
