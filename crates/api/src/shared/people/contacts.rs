//! What the contact operations of all versions share: conditions on attributes, wire shapes, and empty lists with
//! capacity for contacts.

use domain::people::contacts::{
    Condition, ConditionOperator, CustomParam, MAX_NAME_CHARACTERS, MAX_PARAM_NAME_CHARACTERS,
    MAX_PARAM_VALUE_CHARACTERS, OPERATORS,
};
use domain::people::segments::MAX_CONDITIONS;
use serde_json::value::RawValue;

use crate::answer::described_as::described_as;
use crate::answer::list_body::ListBody;
use crate::input::Scalar;
use crate::prelude::*;

/// An attribute as V1 clients send it: numbers and booleans are taken as their text.
#[derive(Debug, Deserialize)]
pub(crate) struct AttributeInput {
    name: Scalar,
    value: Scalar,
}

described_as!(AttributeInput, CustomParam);

pub(crate) fn to_attributes(params: Option<Vec<AttributeInput>>) -> Vec<CustomParam> {
    let attribute = |AttributeInput { name: Scalar(name), value: Scalar(value) }| CustomParam { name, value };
    params.unwrap_or_default().into_iter().map(attribute).collect()
}

/// One condition of the parameter `attribute`, as clients send it.
#[derive(Debug, Deserialize)]
pub(crate) struct Attribute {
    name: String,
    operator: String,
    value: Option<Scalar>,
}

/// Parses the conditions of the parameter `attribute`.
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

/// Refuses a search text that is longer than a contact's name can be.
pub(crate) fn check_search(member: &str, part: Option<String>) -> ApiResult<Option<String>> {
    if let Some(part) = &part {
        at_most(MAX_NAME_CHARACTERS, member, part)?;
    }
    Ok(part)
}

/// Refuses a longer text. No stored name or value is longer, and the search compares the text with every contact that
/// it reads.
fn at_most(most: usize, member: &str, text: &str) -> ApiResult<()> {
    if text.chars().count() > most {
        return Err(ApiError::invalid(member, format!("at most {most} characters")));
    }
    Ok(())
}

/// Parses one condition; `place` is its path in the body or the parameter, for errors.
pub(crate) fn condition(place: &str, name: String, operator: &str, value: Option<Scalar>) -> ApiResult<Condition> {
    let known = operator_spelling(operator).parse();
    let operator = known.map_err(|()| ApiError::invalid(format!("{place}.operator"), OPERATORS))?;
    Ok(Condition::new(name, operator, value.map(|Scalar(text)| text).unwrap_or_default()))
}

/// Maps other spellings that clients use to the documented operator.
fn operator_spelling(operator: &str) -> &str {
    match operator {
        "=" | "equals" => "==",
        "notEquals" => "!=",
        "contains" => "contain",
        "notContains" => "notContain",
        "isSet" => "exist",
        "isNotSet" => "notExist",
        other => other,
    }
}

/// A group of conditions for a new segment. A contact must meet all of them.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewSegmentGroupV1 {
    #[schema(min_items = 1, max_items = 20)]
    conditions: Vec<NewSegmentConditionV1>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewSegmentConditionV1 {
    #[schema(example = "city", min_length = 1, max_length = 128)]
    attribute: String,
    /// `contain`, `notContain`, `exist`, `notExist`, `==`, `!=`, `valid` or `invalid`. Aliases: `contains`,
    /// `notContains`, `isSet`, `isNotSet`, `equals`, `notEquals`.
    #[schema(example = "==")]
    operator: String,
    #[schema(value_type = Option<String>, example = "Berlin", max_length = 4096)]
    value: Option<Scalar>,
}

/// Parses the groups of conditions of a segment.
pub(crate) fn to_groups(groups: Vec<NewSegmentGroupV1>) -> ApiResult<Vec<Vec<Condition>>> {
    let group = |(i, group): (usize, NewSegmentGroupV1)| {
        let read = |(j, one): (usize, NewSegmentConditionV1)| {
            condition(&format!("groups[{i}].conditions[{j}]"), one.attribute, &one.operator, one.value)
        };
        group.conditions.into_iter().enumerate().map(read).collect()
    };
    groups.into_iter().enumerate().map(group).collect()
}

/// A group of conditions in a segment. A contact must meet all of them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SegmentGroup {
    #[schema(min_items = 1, max_items = 20)]
    conditions: Vec<SegmentCondition>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SegmentCondition {
    #[schema(example = "city")]
    attribute: String,
    /// `contain`, `notContain`, `exist`, `notExist`, `==`, `!=`, `valid` or `invalid`.
    #[schema(value_type = String, example = "==")]
    operator: ConditionOperator,
    #[schema(example = "Berlin")]
    value: String,
}

impl From<Vec<Condition>> for SegmentGroup {
    fn from(group: Vec<Condition>) -> Self {
        let shape = |Condition { name, operator, value }| SegmentCondition { attribute: name, operator, value };
        Self { conditions: group.into_iter().map(shape).collect() }
    }
}

/// The JSON text of a column, for copying into the answer as it is; `null` if it is not valid JSON.
pub(crate) fn verbatim(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap_or(RawValue::NULL)
}

/// The usual length of a contact's JSON text, for sizing the answer.
const USUAL_CONTACT_BYTES: usize = 700;

/// An empty list with room for this many contacts.
pub(crate) fn contact_list(contacts: i64) -> ListBody {
    ListBody::new(usize::try_from(contacts).unwrap_or(0), USUAL_CONTACT_BYTES)
}
