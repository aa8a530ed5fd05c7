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
