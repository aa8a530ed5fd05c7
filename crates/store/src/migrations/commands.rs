//! Splits a step into its commands. PostgreSQL gets each in a message of its own, since a database that is distributed
//! by tenant refuses a message with several commands that change the schema.

/// The commands of a step in the text of an engine, without those that are only comments. Semicolons in comments, in
/// quotes and between `$$` separate nothing.
pub fn commands(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let skipped = ["--", "'", "\"", "$$"].into_iter().find(|opening| rest.starts_with(opening));
        if let Some(opening) = skipped {
            let closing = if opening == "--" { "\n" } else { opening };
            let inside = &rest[opening.len()..];
            at += opening.len() + inside.find(closing).map_or(inside.len(), |end| end + closing.len());
            continue;
        }
        let length = rest.chars().next().map_or(1, char::len_utf8);
        if rest.starts_with(';') {
            found.push(&text[start..at]);
            start = at + length;
        }
        at += length;
    }
    found.push(&text[start..]);
    found.retain(|command| command.lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with("--")));
    found
}

/// The name of the table that a command creates, if it creates one.
pub(super) fn created_table(command: &str) -> Option<&str> {
    let lines = command.lines().filter(|line| !line.trim_start().starts_with("--"));
    let mut words = lines.flat_map(|line| line.split([' ', '(']).filter(|word| !word.is_empty()));
    if (words.next()?, words.next()?) != ("CREATE", "TABLE") {
        return None;
    }
    words.find(|word| !["IF", "NOT", "EXISTS"].contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_created_table_is_named() {
        let step = "-- Ships.\n-- CREATE TABLE boats\nCREATE TABLE IF NOT EXISTS ships (\n    tenant_id BIGINT\n)";
        assert_eq!(created_table(step), Some("ships"));
        assert_eq!(created_table("CREATE TABLE ships(tenant_id BIGINT)"), Some("ships"));
        for other in ["CREATE INDEX IF NOT EXISTS a ON ships (b)", "ALTER TABLE ships ADD COLUMN a TEXT", "", "-- no"] {
            assert_eq!(created_table(other), None, "{other}");
        }
    }

    #[test]
    fn a_step_is_split_at_its_semicolons() {
        let step =
            "-- The network's; words.\nCREATE TABLE a (b TEXT DEFAULT ';');\n\n-- ä; last\nCREATE INDEX c ON a (b);\n";
        let found = commands(step);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].ends_with("DEFAULT ';')") && found[1].trim_start().starts_with("-- ä"));
        assert_eq!(commands("SELECT 'it''s; one', \"a;b\""), ["SELECT 'it''s; one', \"a;b\""]);
        assert_eq!(commands("DO $$ BEGIN x; END $$; SELECT 1").len(), 2);
        assert!(commands(" ;\n-- nothing\n;").is_empty());
    }
}
