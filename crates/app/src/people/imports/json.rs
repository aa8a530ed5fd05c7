//! A line of a JSON Lines file, and the JSON in the `custom_params` column of a CSV file.

use std::borrow::Cow;
use std::fmt;

use domain::people::contacts::CustomParam;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::problem::RowProblem;
use super::row::{Fields, flag};

/// The members of an object in their order, duplicates included.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<Text<'de>>()? {
                    members.push((name.0, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A text that serde borrows from the input where it can, also as the key of a map.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

pub(super) fn read(line: &[u8]) -> Result<Fields, RowProblem> {
    let text = std::str::from_utf8(line).map_err(|error| not_utf8(line, error.valid_up_to()))?;
    let members: Members<'_> = serde_json::from_str(text).map_err(|error| RowProblem::of_row(wrong_json(&error)))?;
    let mut fields = Fields::default();
    let mut seen: Vec<&'static str> = Vec::new();
    for (name, value) in &members.0 {
        let Some(known) = known(name) else {
            return Err(RowProblem::new(name, "unknown member; attributes belong in custom_params"));
        };
        if seen.contains(&known) && known != "ignored" {
            return Err(RowProblem::new(name, "appears twice"));
        }
        seen.push(known);
        match (value.get(), known) {
            ("null", "opted_in") => fields.opted_in = Some(String::new()),
            ("null", _) => {}
            _ => take(&mut fields, known, name, value)?,
        }
    }
    Ok(fields)
}

/// The error for invalid UTF-8 at `at`: it names the last member before that position.
fn not_utf8(line: &[u8], at: usize) -> RowProblem {
    let before = String::from_utf8_lossy(&line[..at]);
    let mut quoted: Vec<&str> = before.split('"').collect();
    // The last quote opens the invalid text itself.
    quoted.pop();
    let name = quoted.windows(2).rev().find(|pair| pair[1].trim_start().starts_with(':')).map_or("", |pair| pair[0]);
    RowProblem::new(name, "is not UTF-8")
}

fn known(name: &str) -> Option<&'static str> {
    Some(match name {
        "phone" | "whatsapp_number" | "whatsappNumber" | "number" | "mobile" => "phone",
        "bsuid" => "bsuid",
        "name" => "name",
        "opted_in" | "optedIn" | "consent" => "opted_in",
        "allow_broadcast" => "allow_broadcast",
        "allow_sms" => "allow_sms",
        "teams" => "teams",
        "custom_params" | "customParams" => "custom_params",
        "id" | "parent_bsuid" | "username" | "source" | "created" | "last_updated" | "blocked" | "segments"
        | "error_row" | "error_column" | "error" => "ignored",
        _ => return None,
    })
}

fn take(fields: &mut Fields, known: &'static str, name: &str, value: &RawValue) -> Result<(), RowProblem> {
    let scalar = || scalar(value).ok_or_else(|| RowProblem::new(name, "expected a text"));
    let filled = |text: String| (!text.trim().is_empty()).then(|| (name.to_owned(), text));
    match known {
        "phone" => fields.phone = filled(scalar()?),
        "bsuid" => fields.bsuid = filled(scalar()?),
        "name" => fields.name = scalar()?,
        "opted_in" => fields.opted_in = Some(scalar()?),
        "allow_broadcast" => fields.allow_broadcast = flag(name, &scalar()?)?,
        "allow_sms" => fields.allow_sms = flag(name, &scalar()?)?,
        "teams" => {
            let teams =
                serde_json::from_str(value.get()).map_err(|_| RowProblem::new(name, "expected a list of names"))?;
            fields.teams = Some(teams);
        }
        "custom_params" => {
            fields.params = params(name, value.get())?;
            fields.param_columns = fields.params.iter().map(|param| format!("{name}.{}", param.name)).collect();
        }
        _ => {}
    }
    Ok(())
}

/// The value as text; numbers and booleans as they are written. None for an object, a list or null.
fn scalar(value: &RawValue) -> Option<String> {
    match value.get().as_bytes().first()? {
        b'"' => serde_json::from_str(value.get()).ok(),
        b'{' | b'[' | b'n' => None,
        _ => Some(value.get().to_owned()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named<'a> {
    name: String,
    #[serde(borrow)]
    value: &'a RawValue,
}

/// Parses attributes from a list of `{name, value}` or from one object. A null value is skipped.
pub(super) fn params(column: &str, json: &str) -> Result<Vec<CustomParam>, RowProblem> {
    let wrong = |error: serde_json::Error| RowProblem::new(column, wrong_json(&error));
    let named: Vec<(String, &RawValue)> = if json.trim_start().starts_with('{') {
        let members: Members<'_> = serde_json::from_str(json).map_err(wrong)?;
        members.0.into_iter().map(|(name, value)| (name.into_owned(), value)).collect()
    } else {
        let list: Vec<Named<'_>> = serde_json::from_str(json).map_err(wrong)?;
        list.into_iter().map(|param| (param.name, param.value)).collect()
    };
    let given = named.into_iter().filter(|(_, value)| value.get() != "null");
    let param = |(name, value): (String, &RawValue)| match scalar(value) {
        Some(value) => Ok(CustomParam { name, value }),
        None => Err(RowProblem::new(&format!("{column}.{name}"), "expected a text")),
    };
    given.map(param).collect()
}

/// The message of serde without the line number, which is always 1 for a row.
fn wrong_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text);
    if error.is_data() {
        message.to_owned()
    } else {
        format!("is not valid JSON at character {}: {message}", error.column())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &[u8]) -> (String, String) {
        let problem = read(line).unwrap_err();
        (problem.column, problem.reason)
    }

    #[test]
    fn attributes_are_a_list_or_an_object() {
        for text in
            [r#"[{"name":"city","value":"Bern"},{"name":"age","value":42}]"#, r#"{"city":"Bern","age":42,"x":null}"#]
        {
            let read: Vec<_> = params("c", text).unwrap().into_iter().map(|p| (p.name, p.value)).collect();
            assert_eq!(read, [("city".to_owned(), "Bern".to_owned()), ("age".to_owned(), "42".to_owned())]);
        }
        assert_eq!(params("c", r#"{"a":{}}"#).unwrap_err().column, "c.a");
        assert!(params("c", "{").is_err() && params("c", "7").is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(problem(br#"{"phone":"1","city":"x"}"#).0, "city");
        assert_eq!(problem(br#"{"phone":"1","whatsapp_number":"2"}"#).0, "whatsapp_number");
        assert_eq!(problem(br#"{"phone":"1","teams":"Sales"}"#).0, "teams");
        assert_eq!(problem(br#"{"phone":"1","allow_sms":"maybe"}"#).0, "allow_sms");
        assert!(problem(br#"{"phone":"1""#).1.starts_with("is not valid JSON at character 12"));
        assert!(problem(b"[]").1.contains("expected a JSON object"));
        assert_eq!(problem(b"{\"phone\":\"1\",\"name\":\"Andr\xe9\"}").0, "name");
        assert_eq!(problem(b"{\"custom_params\":{\"city\":\"Z\xfcrich\"}}").0, "city");
    }
}
