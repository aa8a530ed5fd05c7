//! Files, functions, types and times that ARCHITECTURE.md names exist.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::layers::{crates, sources};

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a source defines a name such as `list`, `Calls::list` or `members!`.
fn defines(source: &str, name: &str) -> bool {
    const KEYWORDS: [&str; 9] = ["const", "enum", "fn", "macro_rules", "mod", "static", "struct", "trait", "type"];
    let all: Vec<&str> = words(source).collect();
    let is_defined = |name| all.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == name);
    words(name).all(|part| all.contains(&part)) && words(name).last().is_some_and(is_defined)
}

/// Whether a source has a constant of this many seconds (`s`) or milliseconds (`ms`).
fn has_time(source: &str, constant: &str, (number, unit): (&str, &str)) -> bool {
    let duration = if unit == "s" { format!("from_secs({number})") } else { format!("from_millis({number})") };
    let mut definitions = source.lines().filter(|line| line.contains(&format!("const {constant}:")));
    definitions.any(|line| line.contains(&duration) || line.ends_with(&format!("= {number};")))
}

/// The time at the end of a text: `every 5 s (` has `("5", "s")`.
fn last_time(text: &str) -> Option<(&str, &str)> {
    let (rest, unit) = text.trim_end_matches(['(', ',', ' ']).rsplit_once(' ')?;
    let number = rest.rsplit(' ').next()?.trim_start_matches('(');
    (matches!(unit, "s" | "ms") && number.parse::<u32>().is_ok()).then_some((number, unit))
}

fn is_file(span: &str) -> bool {
    let is_source = Path::new(span).extension().is_some_and(|extension| extension == "rs");
    is_source || (span.contains('/') && !span.starts_with('/') && !span.contains([' ', '{']))
}

fn is_name(span: &str) -> bool {
    let span = span.trim_end_matches('!');
    !span.is_empty() && span.split("::").eq(words(span))
}

/// What a line of ARCHITECTURE.md names in backticks and does not exist. `known` are all words of the sources.
fn missing(line: &str, known: &HashSet<&str>) -> Vec<String> {
    let path = |file: &str| crates().join("..").join(file);
    let text = |file: &str| std::fs::read_to_string(path(file)).unwrap_or_default();
    let parts: Vec<&str> = line.split('`').collect();
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let files: Vec<&str> = parts.iter().skip(1).step_by(2).copied().filter(|span| is_file(span)).collect();
    let gone = files.iter().filter(|file| !path(file).exists());
    let mut wrong: Vec<String> = gone.map(|file| (*file).to_owned()).collect();
    let mut file = None;
    for at in (1..parts.len()).step_by(2) {
        let (before, span, after) = (part(at - 1), part(at), part(at + 1));
        if is_file(span) {
            file = Some(span);
            continue;
        }
        // A name belongs to the file before it in a list, or to the file behind it.
        file = file.filter(|_| is_name(span) && matches!(before, ", " | " and "));
        let owner = file.or_else(|| Some(part(at + 2)).filter(|next| is_file(next) && matches!(after, " in " | " (")));
        let exists = match owner {
            _ if !is_name(span) => true,
            Some(file) => defines(&text(file), span),
            None => words(span).all(|word| known.contains(word)),
        };
        let is_constant = span.len() > 1 && !span.contains(|c: char| !c.is_ascii_uppercase() && c != '_');
        let time = last_time(before).filter(|_| is_constant);
        if !exists {
            wrong.push(format!("`{span}` in {}", owner.unwrap_or("the sources")));
        }
        if let Some((number, unit)) = time
            && !files.iter().any(|file| has_time(&text(file), span, (number, unit)))
        {
            wrong.push(format!("`{span}` of {number} {unit} in {}", files.join(", ")));
        }
    }
    wrong
}

/// A path in backticks exists, a name beside a file is defined there (`file.rs`, `name` and `other`; `name` in
/// `file.rs`; `name` (`file.rs`)), a constant behind a time has that value in a file of the line (5 s, `NAME`), and
/// every other name is a word of the sources.
#[test]
fn what_the_architecture_names_exists() {
    let page = std::fs::read_to_string(crates().join("../ARCHITECTURE.md")).unwrap();
    let packages = std::fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let all: Vec<(PathBuf, String)> = packages.flat_map(sources).collect();
    let known: HashSet<&str> = all.iter().flat_map(|(_, text)| words(text)).collect();
    let wrong: Vec<String> =
        page.lines().filter(|line| !line.starts_with("```")).flat_map(|line| missing(line, &known)).collect();
    assert!(wrong.is_empty(), "ARCHITECTURE.md names what does not exist:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_name_or_time_is_found() {
    let known = HashSet::from(["known", "KEYWORDS"]);
    let file = "`crates/api/tests/api_tests/architecture.rs`";
    for right in [
        format!("{file}, `defines` and `has_time`, then `known`; `words` in {file}; `KEYWORDS` ({file})"),
        "`crates/api/` and `GET /c/{code}`".to_owned(),
    ] {
        assert_eq!(missing(&right, &known), Vec::<String>::new(), "{right}");
    }
    for wrong in [
        "`crates/api/none.rs`".to_owned(),
        "`architecture.rs`".to_owned(),
        format!("{file}, `none`"),
        format!("{file}, `defines`, `Vec::none`"),
        format!("`none` in {file}"),
        format!("`none` ({file})"),
        format!("{file} looks every 5 s (`KEYWORDS`)"),
        "`unknown`".to_owned(),
    ] {
        assert_eq!(missing(&wrong, &known).len(), 1, "{wrong}");
    }
}
