//! The values of a template's variables, as clients write them.

use domain::contacts::CustomParam;
use serde::Deserialize;

use crate::input::Scalar;

/// Numbers and booleans are taken as they are written. Without a name the place counts.
#[derive(Debug, Deserialize)]
pub(crate) struct Param {
    #[serde(alias = "paramName")]
    name: Option<Scalar>,
    #[serde(alias = "paramValue")]
    value: Option<Scalar>,
}

impl From<Param> for CustomParam {
    fn from(param: Param) -> Self {
        let text = |scalar: Option<Scalar>| scalar.map(|Scalar(text)| text).unwrap_or_default();
        Self { name: text(param.name), value: text(param.value) }
    }
}

pub(crate) fn values(params: Option<Vec<Param>>) -> Vec<CustomParam> {
    params.unwrap_or_default().into_iter().map(CustomParam::from).collect()
}
