//! The values that a template was sent with, as they are stored with a message or a refused recipient.

use serde::{Deserialize, Serialize};

use crate::people::contacts::CustomParam;

/// The store keeps it as a JSON array of names and values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TemplateParams(pub Vec<CustomParam>);

impl TemplateParams {
    /// None where there are no values: the column is NULL then.
    pub fn from_params(params: &[CustomParam]) -> Option<Self> {
        (!params.is_empty()).then(|| Self(params.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_stored_as_an_array_and_none_at_all_as_nothing() {
        let params = [CustomParam { name: "1".into(), value: "Ada".into() }];
        let kept = TemplateParams::from_params(&params).unwrap();
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(text, r#"[{"name":"1","value":"Ada"}]"#);
        assert_eq!(serde_json::from_str::<TemplateParams>(&text).unwrap(), kept);
        assert_eq!(TemplateParams::from_params(&[]), None);
    }
}
