//! What the contact operations of all versions share: attributes as they are parsed and shown, and the size of
//! lists.

use domain::contacts::segments::MAX_CONDITIONS;
use domain::contacts::{
    Condition, MAX_NAME_CHARACTERS, MAX_PARAM_NAME_CHARACTERS, MAX_PARAM_VALUE_CHARACTERS, OPERATORS, Operator,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::input::Scalar;
use crate::list_body::ListBody;

/// An attribute, as all versions spell it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomParam)]
pub(crate) struct ParamShape {
    #[schema(example = "city")]
    name: String,
    #[schema(example = "Berlin")]
    value: String,
}

/// One condition of `attribute` as clients send it.
#[derive(Debug, Deserialize)]
pub(crate) struct Attribute {
    name: String,
    operator: String,
    value: Option<Scalar>,
}

/// The conditions of `attribute`.
pub(crate) fn conditions(attributes: Vec<Attribute>) -> ApiResult<Vec<Condition>> {
    if attributes.len() > MAX_CONDITIONS {
        return Err(ApiError::invalid("attribute", format!("at most {MAX_CONDITIONS} conditions")));
    }
    let condition = |(i, Attribute { name, operator, value })| {
        let place = format!("attribute[{i}]");
        let condition = condition(&place, name, &operator, value)?;
        at_most(MAX_PARAM_NAME_CHARACTERS, &format!("{place}.name"), &condition.name)?;
        at_most(MAX_PARAM_VALUE_CHARACTERS, &format!("{place}.value"), &condition.value)?;
        Ok(condition)
    };
    attributes.into_iter().enumerate().map(condition).collect()
}

/// Part of a name, number or handle that a list is searched for.
pub(crate) fn searched(member: &str, part: Option<String>) -> ApiResult<Option<String>> {
    if let Some(part) = &part {
        at_most(MAX_NAME_CHARACTERS, member, part)?;
    }
    Ok(part)
}

/// Nobody has anything longer, and every contact that is looked at is compared with it.
fn at_most(most: usize, member: &str, text: &str) -> ApiResult<()> {
    if text.chars().count() > most {
        return Err(ApiError::invalid(member, format!("at most {most} characters")));
    }
    Ok(())
}

/// A condition that stands at this place of a body or parameter.
pub(crate) fn condition(place: &str, name: String, operator: &str, value: Option<Scalar>) -> ApiResult<Condition> {
    let known = operator_spelling(operator).parse();
    let operator = known.map_err(|()| ApiError::invalid(format!("{place}.operator"), OPERATORS))?;
    Ok(Condition { name, operator, value: value.map(|Scalar(text)| text).unwrap_or_default() })
}

/// Other spellings that clients use.
fn operator_spelling(operator: &str) -> &str {
    match operator {
        "equals" => "==",
        "notEquals" => "!=",
        "contains" => "contain",
        "notContains" => "notContain",
        "isSet" => "exist",
        "isNotSet" => "notExist",
        other => other,
    }
}

/// Conditions of a segment that must hold together.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SegmentGroup)]
pub(crate) struct GroupShape {
    #[schema(min_items = 1, max_items = 20)]
    conditions: Vec<ConditionShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SegmentCondition)]
pub(crate) struct ConditionShape {
    #[schema(example = "city")]
    attribute: String,
    /// `contain`, `notContain`, `exist`, `notExist`, `==`, `!=`, `valid` or `invalid`.
    #[schema(value_type = String, example = "==")]
    operator: Operator,
    #[schema(example = "Berlin")]
    value: String,
}

impl From<Vec<Condition>> for GroupShape {
    fn from(group: Vec<Condition>) -> Self {
        let shape = |Condition { name, operator, value }| ConditionShape { attribute: name, operator, value };
        Self { conditions: group.into_iter().map(shape).collect() }
    }
}

/// JSON that lies in the database as text and is copied.
pub(crate) fn verbatim(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap_or(RawValue::NULL)
}

/// A contact of the JSON text, for sizing the answer.
const USUAL_CONTACT_BYTES: usize = 700;

/// A list that is sized for this many contacts.
pub(crate) fn contact_list(contacts: i64) -> ListBody {
    ListBody::new(usize::try_from(contacts).unwrap_or(0), USUAL_CONTACT_BYTES)
}
