//! The limits and features of the built-in plans.

use domain::identity::plans::{Family, Feature};
use toml::{Table, Value};

struct BuiltIn {
    name: &'static str,
    features: &'static [Feature],
    monthly_calls: Option<i64>,
    /// In the order of [`Family::ALL`]; `None`: no limits.
    rates: Option<[i64; 4]>,
}

const BUILT_IN: [BuiltIn; 4] = [
    BuiltIn {
        name: "growth",
        features: &[Feature::Calls, Feature::Contacts, Feature::Campaigns, Feature::Webhooks],
        monthly_calls: Some(10_000),
        rates: Some([10, 10, 30, 100]),
    },
    BuiltIn {
        name: "pro",
        features: &[Feature::Calls, Feature::Contacts, Feature::Payments, Feature::Campaigns, Feature::Webhooks],
        monthly_calls: Some(200_000),
        rates: Some([10, 10, 60, 200]),
    },
    BuiltIn {
        name: "business",
        features: &[
            Feature::Calls,
            Feature::Contacts,
            Feature::Payments,
            Feature::Campaigns,
            Feature::Webhooks,
            Feature::BulkAttributes,
        ],
        monthly_calls: Some(20_000_000),
        rates: Some([10, 10, 100, 400]),
    },
    BuiltIn {
        name: "unlimited",
        features: &[
            Feature::Calls,
            Feature::Contacts,
            Feature::Payments,
            Feature::Campaigns,
            Feature::Webhooks,
            Feature::BulkAttributes,
        ],
        monthly_calls: None,
        rates: None,
    },
];

/// The built-in plans as the `[plans]` section would give them.
pub(super) fn built_in() -> Table {
    BUILT_IN.iter().map(|plan| (plan.name.to_owned(), Value::Table(plan.to_table()))).collect()
}

impl BuiltIn {
    fn to_table(&self) -> Table {
        let mut table = Table::new();
        let features = self.features.iter().map(|feature| Value::String(feature.name().to_owned())).collect();
        table.insert("features".to_owned(), Value::Array(features));
        if let Some(calls) = self.monthly_calls {
            table.insert("monthly_calls".to_owned(), Value::Integer(calls));
        }
        if let Some(rates) = self.rates {
            let rates =
                Family::ALL.iter().zip(rates).map(|(family, rate)| (family.name().to_owned(), Value::Integer(rate)));
            table.insert("rates".to_owned(), Value::Table(rates.collect()));
        }
        table
    }
}
