//! The values that a message brings, held against those that its template asks for.

use super::asked::Asked;
use super::flaw::{Flaw, Sound};
use crate::contacts::CustomParam;

/// Values by name, with the place where each was given.
#[derive(Debug)]
pub(super) struct Values<'a>(Vec<(String, usize, &'a str)>);

const PARAMS: &str = "custom_params";
const MAX_PARAMS: usize = 200;

impl<'a> Values<'a> {
    /// Exactly one for each that is required, at most one for each of the others, and nothing else. Values without names
    /// are taken in the order of the required ones.
    pub fn of(params: &'a [CustomParam], asked: &[Asked]) -> Sound<Self> {
        if params.len() > MAX_PARAMS {
            return Err(Flaw::new(PARAMS, format!("{} entries, at most {MAX_PARAMS}", params.len())));
        }
        let unnamed = !params.is_empty() && params.iter().all(|param| param.name.trim().is_empty());
        let values = if unnamed { by_order(params, asked)? } else { by_name(params, asked)? };
        let missing: Vec<String> = asked
            .iter()
            .filter(|asked| asked.required && !values.iter().any(|(name, ..)| *name == asked.name))
            .map(|asked| format!("{:?}", asked.name))
            .collect();
        if !missing.is_empty() {
            return Err(Flaw::new(PARAMS, format!("no value for {}", missing.join(", "))));
        }
        Ok(Self(values))
    }

    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, ..)| known == name).map(|(_, _, value)| *value)
    }

    /// Something is wrong with the value of this name.
    pub fn flaw(&self, name: &str, message: impl Into<String>) -> Flaw {
        Flaw::new(self.path(name), message)
    }

    pub fn path(&self, name: &str) -> String {
        let place = self.0.iter().find(|(known, ..)| known == name).map(|(_, place, _)| *place);
        place.map_or_else(|| PARAMS.to_owned(), |place| format!("{PARAMS}[{place}].value"))
    }
}

fn by_order<'a>(params: &'a [CustomParam], asked: &[Asked]) -> Sound<Vec<(String, usize, &'a str)>> {
    let required: Vec<&Asked> = asked.iter().filter(|asked| asked.required).collect();
    if params.len() > required.len() {
        let message = format!("{} values without names, the template asks for {}", params.len(), required.len());
        return Err(Flaw::new(PARAMS, message));
    }
    let pairs = params.iter().zip(required).enumerate();
    pairs.map(|(place, (param, asked))| taken(place, param, &asked.name)).collect()
}

fn by_name<'a>(params: &'a [CustomParam], asked: &[Asked]) -> Sound<Vec<(String, usize, &'a str)>> {
    let mut values: Vec<(String, usize, &str)> = Vec::with_capacity(params.len());
    for (place, param) in params.iter().enumerate() {
        let name = spelled(&param.name);
        let member = format!("{PARAMS}[{place}].name");
        if name.is_empty() {
            return Err(Flaw::new(member, "is empty, while others have names"));
        }
        if !asked.iter().any(|asked| asked.name == name) {
            return Err(Flaw::new(member, format!("the template asks for no {name:?}")));
        }
        if values.iter().any(|(known, ..)| known == name) {
            return Err(Flaw::new(member, format!("{name:?} is there twice")));
        }
        values.push(taken(place, param, name)?);
    }
    Ok(values)
}

/// Some clients send the braces along.
fn spelled(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix("{{").and_then(|name| name.strip_suffix("}}")).map_or(name, str::trim)
}

fn taken<'a>(place: usize, param: &'a CustomParam, name: &str) -> Sound<(String, usize, &'a str)> {
    if param.value.trim().is_empty() {
        return Err(Flaw::new(format!("{PARAMS}[{place}].value"), "is empty"));
    }
    Ok((name.to_owned(), place, &param.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Vec<CustomParam> {
        pairs.iter().map(|(name, value)| CustomParam { name: (*name).to_owned(), value: (*value).to_owned() }).collect()
    }

    fn asked() -> [Asked; 3] {
        [("a", true), ("b", false), ("c", true)].map(|(name, required)| Asked { name: name.to_owned(), required })
    }

    #[test]
    fn values_without_names_go_to_the_required_ones_in_order() {
        let given = params(&[("", "1"), (" ", "2")]);
        let values = Values::of(&given, &asked()).unwrap();
        assert_eq!((values.get("a"), values.get("b"), values.get("c")), (Some("1"), None, Some("2")));
        assert_eq!((values.path("c").as_str(), values.path("b").as_str()), ("custom_params[1].value", "custom_params"));
        assert_eq!(values.flaw("a", "is wrong").to_string(), "custom_params[0].value: is wrong");
    }

    #[test]
    fn braces_around_a_name_do_not_count() {
        let given = params(&[("{{ c }}", "3"), (" b ", "2"), ("{{a}}", "1")]);
        let values = Values::of(&given, &asked()).unwrap();
        assert_eq!((values.get("a"), values.get("b"), values.get("c")), (Some("1"), Some("2"), Some("3")));
        assert_eq!((spelled("{{a"), spelled("a}}"), spelled(" a ")), ("{{a", "a}}", "a"));
    }

    #[test]
    fn what_is_not_asked_for_needs_no_value() {
        assert!(Values::of(&[], &[]).is_ok());
        assert!(Values::of(&params(&[("a", "1"), ("c", "3")]), &asked()).is_ok());
        let missing = Values::of(&[], &asked()).unwrap_err();
        assert_eq!(missing.to_string(), "custom_params: no value for \"a\", \"c\"");
        let many = params(&vec![("a", "1"); 200]);
        assert_eq!(Values::of(&many, &asked()).unwrap_err().to_string(), "custom_params[1].name: \"a\" is there twice");
    }
}
