//! Access to the members of a JSON object. A required member that is missing or malformed is a `Fault` with its path,
//! and so is a malformed optional id, time or list. Other optional members of a wrong form count as absent.

use domain::Timestamp;
use serde_json::{Map, Value};

/// Maximum characters of an id.
pub const MAX_ID: usize = 512;

/// Range of plausible times.
const FIRST_SECOND: i64 = 1_230_768_000; // 2009-01-01
const LAST_SECOND: i64 = 4_102_444_800; // 2100-01-01

/// A required member that is missing or malformed. `path` is its path relative to the item.
#[derive(Debug)]
pub struct Fault {
    pub path: String,
    pub expected: &'static str,
}

pub type Parsed<T> = Result<T, Fault>;

#[derive(Debug)]
pub struct Object<'a> {
    members: &'a Map<String, Value>,
    path: String,
}

impl<'a> Object<'a> {
    pub fn new(members: &'a Map<String, Value>) -> Self {
        Self { members, path: String::new() }
    }

    pub fn fault(&self, name: &str, expected: &'static str) -> Fault {
        Fault { path: self.path(name), expected }
    }

    fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// A null member counts as absent.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    pub fn object(&self, name: &str) -> Option<Object<'a>> {
        let members = self.get(name)?.as_object()?;
        Some(Object { members, path: self.path(name) })
    }

    /// First element of a list of objects.
    pub fn first(&self, name: &str) -> Option<Object<'a>> {
        let members = self.get(name)?.as_array()?.first()?.as_object()?;
        Some(Object { members, path: format!("{}[0]", self.path(name)) })
    }

    /// A list of objects; empty when absent.
    pub fn objects(&self, name: &str) -> Parsed<Vec<Object<'a>>> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let list = value.as_array().ok_or_else(|| self.fault(name, "a list"))?;
        let object = |(index, one): (usize, &'a Value)| {
            let path = format!("{}[{index}]", self.path(name));
            match one.as_object() {
                Some(members) => Ok(Object { members, path }),
                None => Err(Fault { path, expected: "an object" }),
            }
        };
        list.iter().enumerate().map(object).collect()
    }

    /// A string that is not empty; a number is converted to its digits.
    pub fn text(&self, name: &str) -> Option<String> {
        as_text(self.get(name)?).filter(|text| !text.is_empty())
    }

    /// An optional id; a malformed one is a fault.
    pub fn id(&self, name: &str) -> Parsed<Option<String>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = as_text(value).ok_or_else(|| self.fault(name, "text"))?;
        if text.chars().nth(MAX_ID).is_some() {
            return Err(self.fault(name, "at most 512 characters"));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    pub fn need_id(&self, name: &str) -> Parsed<String> {
        self.id(name)?.ok_or_else(|| self.fault(name, "text"))
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.as_bool() == Some(true) || value.as_str() == Some("true"))
    }

    /// A whole number, or a string of one.
    pub fn integer(&self, name: &str) -> Option<i64> {
        as_integer(self.get(name)?)
    }

    pub fn time(&self, name: &str) -> Parsed<Option<Timestamp>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        as_time(value).map(Some).ok_or_else(|| self.fault(name, "seconds since 1970, between 2009 and 2100"))
    }

    pub fn need_time(&self, name: &str) -> Parsed<Timestamp> {
        self.time(name)?.ok_or_else(|| self.fault(name, "seconds since 1970, between 2009 and 2100"))
    }

    /// A member as JSON text.
    pub fn json(&self, name: &str) -> Option<String> {
        self.get(name).map(Value::to_string)
    }
}

pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Seconds, as a number or a string. Some senders write milliseconds, which lie outside the range of seconds.
pub fn as_time(value: &Value) -> Option<Timestamp> {
    let number = as_integer(value)?;
    if (FIRST_SECOND..LAST_SECOND).contains(&number) {
        return Some(Timestamp::from_seconds(number));
    }
    let in_range = (FIRST_SECOND * 1000..LAST_SECOND * 1000).contains(&number);
    in_range.then(|| Timestamp::from_micros(number * 1000))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_seconds_or_milliseconds_as_numbers_or_text_within_reason() {
        let second = Timestamp::from_seconds(1_749_416_383);
        for good in [json!("1749416383"), json!(1_749_416_383), json!(" 1749416383 "), json!(1_749_416_383_000_i64)] {
            assert_eq!(as_time(&good), Some(second), "{good}");
        }
        for bad in [
            json!(0),
            json!("-5"),
            json!("soon"),
            json!(1.5),
            json!(i64::MAX),
            json!(u64::MAX),
            json!([]),
            json!("99999999999999999999"),
            json!(4_102_444_800_i64),
            json!(true),
        ] {
            assert_eq!(as_time(&bad), None, "{bad}");
        }
    }

    #[test]
    fn ids_are_bounded_and_faults_name_their_place() {
        let value = json!({"id": 17, "long": "é".repeat(513), "fits": "é".repeat(512), "odd": [], "in": {"id": {}}});
        let object = Object::new(value.as_object().unwrap());
        assert_eq!(object.need_id("id").unwrap(), "17");
        assert_eq!(object.need_id("fits").unwrap().chars().count(), 512);
        assert_eq!(object.id("long").unwrap_err().expected, "at most 512 characters");
        assert_eq!(object.need_id("absent").unwrap_err().path, "absent");
        assert_eq!(object.id("odd").unwrap_err().path, "odd");
        assert_eq!(object.object("in").unwrap().id("id").unwrap_err().path, "in.id");
    }
}
