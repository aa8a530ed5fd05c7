//! Matches the values of a message with the parameters of its template.

use super::parameters::TemplateParameter;
use super::problem::{CheckResult, MemberProblem};
use crate::people::contacts::CustomParam;
use crate::{Field, Place};

/// Values by name, with the index of each in the request.
#[derive(Debug)]
pub(super) struct Values<'a>(Vec<(String, usize, &'a str)>);

const PARAMS: Field = Field::CustomParams;
const MAX_PARAMS: usize = 200;

impl<'a> Values<'a> {
    /// Each required parameter must have one value, each optional one at most one; values of other names are ignored.
    /// Values without names are assigned to the required parameters in order; further ones are ignored.
    pub fn match_params(params: &'a [CustomParam], parameters: &[TemplateParameter]) -> CheckResult<Self> {
        if params.len() > MAX_PARAMS {
            return Err(MemberProblem::new(PARAMS, format!("{} entries, at most {MAX_PARAMS}", params.len())));
        }
        let unnamed = !params.is_empty() && params.iter().all(|param| param.name.trim().is_empty());
        let values = if unnamed { by_order(params, parameters)? } else { by_name(params, parameters)? };
        let missing: Vec<String> = parameters
            .iter()
            .filter(|parameter| parameter.required && !values.iter().any(|(name, ..)| *name == parameter.name))
            .map(|parameter| format!("{:?}", parameter.name))
            .collect();
        if !missing.is_empty() {
            return Err(MemberProblem::new(PARAMS, format!("no value for {}", missing.join(", "))));
        }
        Ok(Self(values))
    }

    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, ..)| known == name).map(|(_, _, value)| *value)
    }

    /// A problem at the value of this name.
    pub fn problem(&self, name: &str, message: impl Into<String>) -> MemberProblem {
        MemberProblem::new(self.place(name), message)
    }

    pub fn place(&self, name: &str) -> Place {
        let index = self.0.iter().find(|(known, ..)| known == name).map(|(_, index, _)| *index);
        index.map_or_else(|| PARAMS.into(), |index| PARAMS.at(index).member(Field::Value))
    }
}

fn by_order<'a>(
    params: &'a [CustomParam],
    parameters: &[TemplateParameter],
) -> CheckResult<Vec<(String, usize, &'a str)>> {
    let required: Vec<&TemplateParameter> = parameters.iter().filter(|parameter| parameter.required).collect();
    let pairs = params.iter().zip(required).enumerate();
    pairs.map(|(index, (param, parameter))| taken(index, param, &parameter.name)).collect()
}

fn by_name<'a>(
    params: &'a [CustomParam],
    parameters: &[TemplateParameter],
) -> CheckResult<Vec<(String, usize, &'a str)>> {
    let mut values: Vec<(String, usize, &str)> = Vec::with_capacity(params.len());
    for (index, param) in params.iter().enumerate() {
        let name = spelled(&param.name);
        let member = PARAMS.at(index).member(Field::Name);
        if name.is_empty() {
            return Err(MemberProblem::new(member, "is empty, but other parameters have names"));
        }
        if !parameters.iter().any(|parameter| parameter.name == name) {
            continue;
        }
        if values.iter().any(|(known, ..)| known == name) {
            return Err(MemberProblem::new(member, format!("{name:?} appears twice")));
        }
        values.push(taken(index, param, name)?);
    }
    Ok(values)
}

/// Strips the braces that some clients send.
fn spelled(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix("{{").and_then(|name| name.strip_suffix("}}")).map_or(name, str::trim)
}

fn taken<'a>(index: usize, param: &'a CustomParam, name: &str) -> CheckResult<(String, usize, &'a str)> {
    if param.value.trim().is_empty() {
        return Err(MemberProblem::new(PARAMS.at(index).member(Field::Value), "is empty"));
    }
    Ok((name.to_owned(), index, &param.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Vec<CustomParam> {
        pairs.iter().map(|(name, value)| CustomParam { name: (*name).to_owned(), value: (*value).to_owned() }).collect()
    }

    fn parameters() -> [TemplateParameter; 3] {
        [("a", true), ("b", false), ("c", true)]
            .map(|(name, required)| TemplateParameter { name: name.to_owned(), required })
    }

    #[test]
    fn values_without_names_go_to_the_required_ones_in_order() {
        let given = params(&[("", "1"), (" ", "2")]);
        let values = Values::match_params(&given, &parameters()).unwrap();
        assert_eq!((values.get("a"), values.get("b"), values.get("c")), (Some("1"), None, Some("2")));
        let places = (values.place("c").to_string(), values.place("b"));
        assert_eq!(places, ("custom_params[1].value".to_owned(), PARAMS.into()));
        assert_eq!(values.problem("a", "is wrong").to_string(), "custom_params[0].value: is wrong");
    }

    #[test]
    fn braces_around_a_name_do_not_count() {
        let given = params(&[("{{ c }}", "3"), (" b ", "2"), ("{{a}}", "1")]);
        let values = Values::match_params(&given, &parameters()).unwrap();
        assert_eq!((values.get("a"), values.get("b"), values.get("c")), (Some("1"), Some("2"), Some("3")));
        assert_eq!((spelled("{{a"), spelled("a}}"), spelled(" a ")), ("{{a", "a}}", "a"));
    }

    #[test]
    fn what_is_not_asked_for_needs_no_value() {
        assert!(Values::match_params(&[], &[]).is_ok());
        assert!(Values::match_params(&params(&[("a", "1"), ("c", "3")]), &parameters()).is_ok());
        let unused = params(&[("a", "1"), ("other", ""), ("c", "3"), ("other", "x")]);
        let values = Values::match_params(&unused, &parameters()).unwrap();
        assert_eq!((values.get("c"), values.get("other")), (Some("3"), None));
        assert_eq!(values.place("c").to_string(), "custom_params[2].value");
        let missing = Values::match_params(&[], &parameters()).unwrap_err();
        assert_eq!(missing.to_string(), "custom_params: no value for \"a\", \"c\"");
        let many = params(&vec![("a", "1"); 200]);
        assert_eq!(
            Values::match_params(&many, &parameters()).unwrap_err().to_string(),
            "custom_params[1].name: \"a\" appears twice"
        );
    }
}
