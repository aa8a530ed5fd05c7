//! Variables in the text of a template: `{{1}}` or `{{name}}`.

/// Names of the variables in order, with repeats. `None` when a brace is unclosed or a name is invalid.
pub fn variables(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}")?;
        let name = name.trim();
        let fits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !fits {
            return None;
        }
        names.push(name);
        rest = behind;
    }
    Some(names)
}

/// Replaces the variables by their values; a variable without a value stays as it is.
pub fn filled<'v>(text: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        out.push_str(before);
        match value(name.trim()) {
            Some(value) => out.push_str(value),
            None => out.extend(["{{", name, "}}"]),
        }
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_filled() {
        assert_eq!(variables("Hi {{1}}, {{ 2 }} and {{1}}").unwrap(), ["1", "2", "1"]);
        assert_eq!(variables("Hi {{first_name}}").unwrap(), ["first_name"]);
        assert_eq!(variables("plain { } }}").unwrap(), Vec::<&str>::new());
        for bad in ["{{", "{{}}", "{{A}}", "{{a b}}", "x {{1} y"] {
            assert_eq!(variables(bad), None, "{bad}");
        }
        let value = |name: &str| (name == "1").then_some("Ada {{2}}");
        assert_eq!(filled("Hi {{1}}, {{2}} {{ 1 }}", value), "Hi Ada {{2}}, {{2}} Ada {{2}}");
        assert_eq!(filled("open {{1", value), "open {{1");
    }
}
