//! "Did you mean": the known name nearest to an unknown one, if it is near enough.

use strsim::levenshtein;

/// The nearest of `known`, by whole name or by its last part (`hosts` finds `server.hosts`).
pub fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let unknown = unknown.to_ascii_lowercase().replace('-', "_");
    let scored = known.into_iter().map(|name| (score(&unknown, name), name));
    let (distance, name) = scored.min()?;
    (distance <= 1 + unknown.len() / 5).then_some(name)
}

/// `; did you mean X?`, or nothing.
pub fn hint<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(unknown, known).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

fn score(unknown: &str, name: &str) -> usize {
    let lower = name.to_ascii_lowercase();
    let whole = levenshtein(unknown, &lower);
    let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_owned();
    // One more than the same distance on the whole name, so that the whole name wins a tie.
    whole.min(levenshtein(&last(unknown), &last(&lower)) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["server.hosts", "log.level", "listen"];
        assert_eq!(nearest("listem", known), Some("listen"));
        assert_eq!(nearest("level", known), Some("log.level"));
        assert_eq!(nearest("server.hsots", known), Some("server.hosts"));
        assert_eq!(nearest("color", known), None);
        assert_eq!(hint("lsten", known), "; did you mean listen?");
    }

    #[test]
    fn one_edit_is_near_and_every_five_letters_allow_one_more() {
        for (unknown, known, found) in [
            ("abcd", "abce", true),
            ("abcd", "abef", false),
            ("abcde", "abcfg", true),
            ("abcde", "abfgh", false),
            ("abcdefghi", "abcdefgxy", true),
            ("abcdefghi", "abcdefxyz", false),
            ("abcdefghij", "abcdefgxyz", true),
            ("abcdefghij", "abcdefwxyz", false),
        ] {
            assert_eq!(nearest(unknown, [known]).is_some(), found, "{unknown} {known}");
        }
    }

    #[test]
    fn letter_case_and_dashes_do_not_count() {
        assert_eq!(nearest("LOG-LEVEL", ["Log_Level"]), Some("Log_Level"));
        assert_eq!(nearest("x", []), None);
        assert_eq!(hint("nonsense", ["listen"]), "");
    }

    #[test]
    fn the_whole_name_wins_over_its_last_part() {
        assert_eq!(nearest("hosts", ["server.hosts", "hosts"]), Some("hosts"));
        assert_eq!(
            nearest("hosts", ["server.hosts", "hostx"]),
            Some("hostx"),
            "of two at one distance the first by name"
        );
        assert_eq!(nearest("hosts", ["server.hosts", "other.listen"]), Some("server.hosts"));
        assert_eq!(nearest("log.hosts", ["server.hosts"]), Some("server.hosts"));
    }
}
