//! The values of a template's variables, as clients write them.

use domain::people::contacts::CustomParam;
use serde::Deserialize;

use crate::answer::described_as::described_as;
use crate::input::Scalar;

/// A value of a variable. Numbers and booleans become text. A value without a name is matched by its position.
#[derive(Debug, Deserialize)]
pub(crate) struct ParamInput {
    #[serde(alias = "paramName")]
    name: Option<Scalar>,
    #[serde(alias = "paramValue")]
    value: Option<Scalar>,
}

/// A value of a variable in V3, where name and value must be strings.
#[derive(Debug, Deserialize)]
pub(crate) struct ParamBody {
    #[serde(alias = "paramName")]
    name: Option<String>,
    #[serde(alias = "paramValue")]
    value: Option<String>,
}

described_as!(ParamInput, CustomParam);
described_as!(ParamBody, CustomParam);

impl From<ParamBody> for ParamInput {
    fn from(body: ParamBody) -> Self {
        Self { name: body.name.map(Scalar), value: body.value.map(Scalar) }
    }
}

impl From<ParamInput> for CustomParam {
    fn from(param: ParamInput) -> Self {
        let text = |scalar: Option<Scalar>| scalar.map(|Scalar(text)| text).unwrap_or_default();
        Self { name: text(param.name), value: text(param.value) }
    }
}

pub(crate) fn to_custom_params(params: Option<Vec<ParamInput>>) -> Vec<CustomParam> {
    params.unwrap_or_default().into_iter().map(CustomParam::from).collect()
}
