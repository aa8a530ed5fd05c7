//! Variables in texts: `{{1}}` or `{{name}}`.

/// The names of the variables in order with repeats, or the problem of one.
pub fn variables(text: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        if before.contains("}}") {
            return Err("}} without {{ before it".to_owned());
        }
        let (name, behind) = after.split_once("}}").ok_or("{{ without }} after it")?;
        let name = name.trim();
        if !is_name(name) {
            return Err(format!("{{{{{name}}}}} is not a variable: use a number, or lower-case letters, digits and _"));
        }
        names.push(name);
        rest = behind;
    }
    if rest.contains("}}") {
        return Err("}} without {{ before it".to_owned());
    }
    Ok(names)
}

/// Each variable once in the order of the network's values: numbers by size, names in the order of the text.
pub fn ordered(text: &str) -> Vec<&str> {
    let mut names = distinct(text).unwrap_or_default();
    if names.iter().all(|name| is_number(name)) {
        names.sort_by_key(|name| name.parse().unwrap_or(u64::MAX));
    }
    names
}

/// Each variable once, in the order of the text.
pub fn distinct(text: &str) -> Result<Vec<&str>, String> {
    let mut seen: Vec<&str> = Vec::new();
    for name in variables(text)? {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    Ok(seen)
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let begins = |first: u8| first.is_ascii_lowercase() || (first.is_ascii_digit() && is_number(name));
    name.len() <= 64 && name.bytes().all(fits) && name.bytes().next().is_some_and(begins)
}

pub fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text with its variables replaced; one without a value stays as it is.
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
        assert_eq!(distinct("Hi {{first_name}} {{first_name}}").unwrap(), ["first_name"]);
        for bad in ["{{", "{{}}", "{{A}}", "{{a b}}", "x {{1} y", "{{1a}}", "{{_a}}", "a }} b", "{{a}} }}"] {
            assert!(variables(bad).is_err(), "{bad}");
        }
        let value = |name: &str| (name == "1").then_some("Ada {{2}}");
        assert_eq!(filled("Hi {{1}}, {{2}} {{ 1 }}", value), "Hi Ada {{2}}, {{2}} Ada {{2}}");
    }

    #[test]
    fn a_name_begins_with_a_letter_and_has_at_most_64_characters() {
        for (name, right) in [
            ("a".repeat(64), true),
            ("a".repeat(65), false),
            ("a_1".to_owned(), true),
            ("12".to_owned(), true),
            ("1_".to_owned(), false),
            ("é".to_owned(), false),
            ("a-b".to_owned(), false),
        ] {
            assert_eq!(variables(&format!("x {{{{{name}}}}} y")).is_ok(), right, "{name}");
        }
        assert!(is_number("0") && !is_number("") && !is_number("1a"));
    }

    #[test]
    fn numbers_are_ordered_by_size_and_names_as_they_come() {
        assert_eq!(ordered("{{10}} {{2}} {{10}} {{1}}"), ["1", "2", "10"]);
        assert_eq!(ordered("{{b}} {{a}} {{b}}"), ["b", "a"]);
        assert_eq!(ordered("{{b}} {{2}} {{1}}"), ["b", "2", "1"], "not where they are mixed");
        assert!(ordered("no variables").is_empty() && ordered("{{").is_empty());
    }

    #[test]
    fn what_is_not_closed_stays_as_it_is() {
        let value = |_: &str| Some("x");
        assert_eq!(filled("a {{1}} b {{2", value), "a x b {{2");
        assert_eq!(filled("a {{ 1 }} b", |_| None), "a {{ 1 }} b");
        assert_eq!(variables("a }} b {{1}}").unwrap_err(), "}} without {{ before it");
    }
}
