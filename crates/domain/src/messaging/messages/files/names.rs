//! Names of files: found in headers and paths, and made safe to show.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

const MAX_NAME: usize = 240;
/// Most characters of an extension; a longer ending is part of the name.
const MAX_EXTENSION: usize = 10;

/// A name as people see it: without folders, without invisible characters or marks that change the direction of
/// writing, and shortened.
pub fn shown_name(name: Option<&str>, extension: &str) -> String {
    let name = name.unwrap_or_default();
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible: String = name.chars().filter(|c| !c.is_control() && !is_unseen(*c)).collect();
    let visible = visible.trim().trim_start_matches('.');
    if visible.is_empty() {
        return format!("file.{extension}");
    }
    shortened(visible)
}

/// Marks that change the direction of writing, or have no width.
const fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Cuts a long name before its extension.
fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    let extension = name.rsplit_once('.').map(|(_, end)| end).filter(|end| end.chars().count() <= MAX_EXTENSION);
    let end = extension.map(|extension| format!(".{extension}")).unwrap_or_default();
    let kept = MAX_NAME - end.chars().count();
    name.chars().take(kept).chain(end.chars()).collect()
}

/// The name in a `Content-Disposition`: of its extended spelling (`filename*`) or, without one, of the plain one.
pub fn name_in_disposition(value: &str) -> Option<String> {
    let parameters = || parameters(value);
    let extended = parameters().find(|(name, _)| name.eq_ignore_ascii_case("filename*"));
    let extended = extended.and_then(|(_, value)| {
        let (charset, rest) = value.split_once('\'')?;
        let (_language, encoded) = rest.split_once('\'')?;
        charset.eq_ignore_ascii_case("utf-8").then(|| decoded(encoded))?
    });
    let plain = || parameters().find(|(name, _)| name.eq_ignore_ascii_case("filename")).map(|(_, value)| value);
    extended.or_else(plain).filter(|name| !name.is_empty())
}

/// The name at the end of a path, percent-decoded.
pub fn name_in_path(path: &str) -> Option<String> {
    decoded(path.rsplit('/').next()?).filter(|name| !name.is_empty())
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

/// The parameters of a header's value, one after the other: `; name=value` and `; name="va\"lue"`.
fn parameters(value: &str) -> impl Iterator<Item = (&str, String)> {
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    std::iter::from_fn(move || {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim_start_matches(';').trim();
        let (value, behind) = one_value(after.trim_start());
        rest = behind;
        Some((name, value))
    })
}

fn one_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_names_have_no_folders_and_nothing_unseen() {
        for (name, shown) in [
            (Some("a.pdf"), "a.pdf"),
            (Some("../../etc/passwd"), "passwd"),
            (Some("C:\\temp\\Räume 1.pdf"), "Räume 1.pdf"),
            (Some("a\u{0}\nb\u{202e}fdp.exe"), "abfdp.exe"),
            (Some("  .htaccess "), "htaccess"),
            (Some("…/"), "file.jpg"),
            (Some(".."), "file.jpg"),
            (None, "file.jpg"),
        ] {
            assert_eq!(shown_name(name, "jpg"), shown);
        }
        let long = shown_name(Some(&format!("{}.pdf", "ä".repeat(500))), "pdf");
        assert!(long.chars().count() == 240 && long.ends_with("ä.pdf"), "{long}");
        assert_eq!(shown_name(Some(&"x".repeat(300)), "pdf").len(), 240);
    }

    #[test]
    fn names_in_headers_of_servers() {
        for (value, name) in [
            ("attachment; filename=plan.pdf", Some("plan.pdf")),
            ("attachment; filename=\"a; b=c \\\"x\\\".pdf\"; size=3", Some("a; b=c \"x\".pdf")),
            ("inline; filename=\"fallback\"; filename*=UTF-8''R%C3%A4ume.pdf", Some("Räume.pdf")),
            ("inline; FileName*=utf-8'de'R%C3%A4ume.pdf", Some("Räume.pdf")),
            ("inline; filename*=latin'x'y; filename=z", Some("z")),
            ("inline; filename*=UTF-8''%ff; filename=z", Some("z")),
            ("attachment; filename=\"", None),
            ("attachment; filename=", None),
            ("attachment", None),
            ("", None),
            (";;;=;==", None),
        ] {
            assert_eq!(name_in_disposition(value).as_deref(), name, "{value}");
        }
        assert_eq!(name_in_path("/a/R%C3%A4ume%201.pdf").as_deref(), Some("Räume 1.pdf"));
        assert_eq!((name_in_path("/a/"), name_in_path(""), name_in_path("/%ff")), (None, None, None));
    }

    #[test]
    fn marks_that_are_not_seen_are_left_out_and_their_neighbours_stay() {
        for (mark, stays) in [
            ('\u{200a}', true),
            ('\u{200b}', false),
            ('\u{200f}', false),
            ('\u{2010}', true),
            ('\u{2027}', true),
            ('\u{2028}', false),
            ('\u{202e}', false),
            ('\u{202f}', true),
            ('\u{205f}', true),
            ('\u{2060}', false),
            ('\u{2069}', false),
            ('\u{206a}', true),
            ('\u{feff}', false),
        ] {
            assert_eq!(shown_name(Some(&format!("a{mark}b")), "x").chars().count(), 2 + usize::from(stays), "{mark:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_before_its_extension() {
        let of = |stem: usize, end: &str| shown_name(Some(&format!("{}{end}", "x".repeat(stem))), "pdf");
        assert_eq!(of(236, ".pdf"), format!("{}.pdf", "x".repeat(236)), "240 characters stay");
        assert_eq!(of(237, ".pdf"), format!("{}.pdf", "x".repeat(236)));
        assert_eq!(of(300, ".0123456789"), format!("{}.0123456789", "x".repeat(229)));
        assert_eq!(of(300, ".0123456789a"), "x".repeat(240), "longer ones are part of the name");
    }

    #[test]
    fn parameters_follow_each_other_with_and_without_quotes() {
        let all = |value| parameters(value).collect::<Vec<_>>();
        let own = |pairs: &[(&'static str, &str)]| pairs.iter().map(|(n, v)| (*n, (*v).to_owned())).collect::<Vec<_>>();
        assert_eq!(all("x; a=1; b=\"2;3\"; c = 4 "), own(&[("a", "1"), ("b", "2;3"), ("c", "4")]));
        assert_eq!(all("x; a=\"\\\\\\\"\"; b=2"), own(&[("a", "\\\""), ("b", "2")]));
        assert_eq!(all("x; a=\"open"), own(&[("a", "open")]));
        assert_eq!(all("x"), own(&[]));
        assert_eq!(name_in_disposition("filename=x"), None, "the first part is the disposition itself");
        assert_eq!(name_in_disposition("x; filename*=UTF-8'y; filename=z").as_deref(), Some("z"));
    }
}
