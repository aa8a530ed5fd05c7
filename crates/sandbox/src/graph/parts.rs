//! Access to the members of a JSON request. Every error names the member by its path.

use serde_json::{Map, Value};

use super::error::GraphError;

pub type Checked<T> = Result<T, GraphError>;

/// An object of the request, with its path.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    path: String,
    members: &'a Map<String, Value>,
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn wrong(path: &str, expected: &str, value: &Value) -> GraphError {
    GraphError::parameter(format!("Param {path} must be {expected} - got {}", kind(value)))
}

impl<'a> Part<'a> {
    pub fn root(value: &'a Value) -> Checked<Self> {
        Self::new("", value)
    }

    fn new(path: &str, value: &'a Value) -> Checked<Self> {
        let name = if path.is_empty() { "body" } else { path };
        let members = value.as_object().ok_or_else(|| wrong(name, "an object", value))?;
        Ok(Self { path: path.to_owned(), members })
    }

    /// Path of a member, for errors.
    pub fn path(&self, member: &str) -> String {
        if self.path.is_empty() { member.to_owned() } else { format!("{}.{member}", self.path) }
    }

    /// The member's value; null counts as absent.
    pub fn get(&self, member: &str) -> Option<&'a Value> {
        self.members.get(member).filter(|value| !value.is_null())
    }

    pub fn need(&self, member: &str) -> Checked<&'a Value> {
        self.get(member).ok_or_else(|| GraphError::missing(&self.path(member)))
    }

    pub fn invalid(&self, member: &str, why: impl std::fmt::Display) -> GraphError {
        GraphError::invalid(&self.path(member), why)
    }

    pub fn opt_object(&self, member: &str) -> Checked<Option<Self>> {
        self.get(member).map(|value| Self::new(&self.path(member), value)).transpose()
    }

    pub fn object(&self, member: &str) -> Checked<Self> {
        Self::new(&self.path(member), self.need(member)?)
    }

    pub fn opt_text(&self, member: &str) -> Checked<Option<&'a str>> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| wrong(&self.path(member), "a string", value));
        self.get(member).map(text).transpose()
    }

    /// An optional string of 1 to `max` characters.
    pub fn opt_text_up_to(&self, member: &str, max: usize) -> Checked<Option<&'a str>> {
        let text = self.opt_text(member)?;
        if let Some(text) = text {
            let length = text.chars().count();
            if length == 0 || text.trim().is_empty() {
                return Err(self.invalid(member, "must not be empty"));
            }
            if length > max {
                return Err(self.invalid(member, format!("has {length} characters, at most {max} are allowed")));
            }
        }
        Ok(text)
    }

    pub fn text_up_to(&self, member: &str, max: usize) -> Checked<&'a str> {
        self.opt_text_up_to(member, max)?.ok_or_else(|| GraphError::missing(&self.path(member)))
    }

    pub fn text(&self, member: &str) -> Checked<&'a str> {
        self.text_up_to(member, usize::MAX)
    }

    pub fn opt_bool(&self, member: &str) -> Checked<Option<bool>> {
        let read = |value: &'a Value| value.as_bool().ok_or_else(|| wrong(&self.path(member), "a boolean", value));
        self.get(member).map(read).transpose()
    }

    /// An optional integer, as a JSON number or as a string of digits.
    pub fn opt_integer(&self, member: &str) -> Checked<Option<i64>> {
        let read = |value: &'a Value| {
            let number = value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
            number.ok_or_else(|| wrong(&self.path(member), "an integer", value))
        };
        self.get(member).map(read).transpose()
    }

    pub fn integer(&self, member: &str) -> Checked<i64> {
        self.opt_integer(member)?.ok_or_else(|| GraphError::missing(&self.path(member)))
    }

    /// A required finite number, as a JSON number or as a string.
    pub fn number(&self, member: &str) -> Checked<f64> {
        let value = self.need(member)?;
        let number = value.as_f64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        number.filter(|number| number.is_finite()).ok_or_else(|| wrong(&self.path(member), "a number", value))
    }

    pub fn opt_list(&self, member: &str) -> Checked<Option<&'a Vec<Value>>> {
        let read = |value: &'a Value| value.as_array().ok_or_else(|| wrong(&self.path(member), "an array", value));
        self.get(member).map(read).transpose()
    }

    /// A list of objects whose length is in `counts`.
    pub fn objects(&self, member: &str, counts: std::ops::RangeInclusive<usize>) -> Checked<Vec<Self>> {
        let list = self.opt_list(member)?.ok_or_else(|| GraphError::missing(&self.path(member)))?;
        if !counts.contains(&list.len()) {
            let (low, high) = (counts.start(), counts.end());
            return Err(self.invalid(member, format!("has {} elements, expected {low} to {high}", list.len())));
        }
        self.each(member, list)
    }

    /// A list of objects of any length; empty when the member is absent.
    pub fn opt_objects(&self, member: &str) -> Checked<Vec<Self>> {
        self.opt_list(member)?.map_or(Ok(Vec::new()), |list| self.each(member, list))
    }

    fn each(&self, member: &str, list: &'a [Value]) -> Checked<Vec<Self>> {
        let path = self.path(member);
        list.iter().enumerate().map(|(index, value)| Self::new(&format!("{path}[{index}]"), value)).collect()
    }

    /// A string that is one of `allowed`.
    pub fn word(&self, member: &str, allowed: &[&str]) -> Checked<&'a str> {
        let word = self.text(member)?;
        if allowed.contains(&word) {
            return Ok(word);
        }
        Err(self.invalid(member, format!("must be one of {{{}}} - got \"{word}\"", allowed.join(", "))))
    }

    /// An http or https URL of at most 2000 characters.
    pub fn link(&self, member: &str) -> Checked<&'a str> {
        let link = self.text_up_to(member, 2000)?;
        if is_link(link) { Ok(link) } else { Err(self.invalid(member, "is not a valid URI")) }
    }
}

pub fn is_link(text: &str) -> bool {
    let uri = text.parse::<http::Uri>().ok();
    uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_invalid_member_is_named_by_its_path() {
        let value = json!({"a": {"b": [{"c": "x"}, {"c": 1}], "t": "toolong", "e": ""}, "n": null});
        let root = Part::root(&value).unwrap();
        let inner = root.object("a").unwrap();
        let list = inner.objects("b", 1..=2).unwrap();
        assert_eq!(list[0].text("c").unwrap(), "x");
        let error = list[1].text("c").unwrap_err();
        assert!(error.code == 100 && error.message.contains("a.b[1].c must be a string"), "{error:?}");
        assert_eq!(root.text("n").unwrap_err(), GraphError::missing("n"));
        assert!(inner.text_up_to("t", 3).unwrap_err().details.unwrap().contains("'a.t'"));
        assert_eq!(inner.text("e").unwrap_err().code, 131_009);
        assert_eq!(inner.objects("b", 3..=4).unwrap_err().code, 131_009);
        assert_eq!(Part::root(&json!([])).unwrap_err().code, 100);
    }

    #[test]
    fn addresses() {
        for good in ["https://example.com/a?b=c", "http://example.com"] {
            assert!(is_link(good), "{good}");
        }
        for bad in ["", "example.com", "ftp://example.com/", "https:///x", "/x"] {
            assert!(!is_link(bad), "{bad}");
        }
    }
}
