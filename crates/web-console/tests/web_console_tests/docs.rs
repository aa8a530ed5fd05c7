//! The documentation: every page is rendered, listed and linked as it should be.

use std::fs;
use std::path::{Path, PathBuf};

use web_console::docs::{answer, files, find, pages};
use web_console::is_hashed_name;

use crate::steps::docs::groups::{GROUPS, position};
use crate::steps::docs::markdown::{self, Page};
use crate::steps::docs::transcript::{Part, split};
use crate::steps::docs::{links, read_pages};
use crate::steps::{BuildEnvironment, run_docs};

pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn body(path: &str) -> String {
    let asset = find(path).unwrap_or_else(|| panic!("no {path}"));
    String::from_utf8(asset.content.plain().to_vec()).unwrap()
}

#[test]
fn every_file_is_a_page() {
    let mut names: Vec<String> = read_pages(&workspace()).unwrap().into_iter().map(|page| page.name).collect();
    names.sort();
    assert_eq!(pages().collect::<Vec<_>>(), names);
    for name in names {
        let page = body(&name);
        assert!(page.contains(&format!("<a href=\"/docs/{name}\" aria-current=\"page\">")), "{name}");
        assert_eq!(page.matches("<h1>").count(), 1, "{name}");
    }
}

#[test]
fn every_page_is_in_a_group_and_has_a_title() {
    for page in read_pages(&workspace()).unwrap() {
        assert_ne!(position(&page.name).1, usize::MAX, "{} belongs into a group of build/docs/groups.rs", page.name);
        assert!(!page.title.is_empty(), "{}", page.name);
    }
    let mut names: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "a page is in one group");
}

#[test]
fn no_link_leads_nowhere() {
    let pages = read_pages(&workspace()).unwrap();
    assert_eq!(links::broken(&pages), Vec::<String>::new());
    for page in &pages {
        for path in page.links.iter().filter_map(|link| link.strip_prefix("../")) {
            let file = path.split('#').next().unwrap();
            assert!(workspace().join(file).exists(), "docs/{}.md: ../{path}", page.name);
        }
    }
}

#[test]
fn a_broken_link_is_found() {
    let read = |text: &str| [markdown::parse("one", text), markdown::parse("two", "# Two\n\n## A part\n")];
    let whole =
        "# One\n\n## Here\n\n[a](two.md) [b](two.md#a-part) [c](#here) [d](https://example.com) [e](../LICENSE)";
    assert_eq!(links::broken(&read(whole)), Vec::<String>::new());
    for link in ["three.md", "two.md#another", "#there", "two", "/other", "pictures/x.png"] {
        assert_eq!(links::broken(&read(&format!("[a]({link})"))).len(), 1, "{link}");
    }
}

fn parsed(text: &str) -> Page {
    markdown::parse("page", text)
}

#[test]
fn links_lead_to_pages_and_source_files_are_named() {
    let page = parsed("[a](two.md#part) [b](#x) [the rules](../packaging/a.yaml) [LICENSE](../LICENSE)");
    for part in [
        "<a href=\"/docs/two#part\">a</a>",
        "<a href=\"#x\">b</a>",
        "the rules (<code>packaging/a.yaml</code> in the source)",
        " LICENSE</p>",
    ] {
        assert!(page.html.contains(part), "{part} in {}", page.html);
    }
}

#[test]
fn headings_have_the_anchors_of_github() {
    let page =
        parsed("# T\n\n## A template, to one or to many\n\n### `POST /calls`\n\n## Twice\n\n## Twice\n\n#### Deep\n");
    let anchors: Vec<&str> = page.headings.iter().map(|heading| heading.anchor.as_str()).collect();
    assert_eq!(anchors, ["a-template-to-one-or-to-many", "post-calls", "twice", "twice-1"]);
    assert_eq!(page.sections.last().unwrap().anchor, "deep");
}

#[test]
fn markup_of_a_page_stays_text() {
    let page = parsed("# T\n\n<script>x</script>\n\na <b>c</b>\n\n```\n<i>\n```\n\n## <u> & \"x\"\n");
    assert!(!["<script", "<b>", "<i>", "<u>"].iter().any(|tag| page.html.contains(tag)), "{}", page.html);
}

#[test]
fn tables_have_no_inline_style_and_no_empty_header() {
    let page = parsed("| a | |\n|---:|:---|\n| 1 | 2 |\n");
    assert!(page.html.contains("<tr><th>a</th><td></td></tr>"), "{}", page.html);
    assert!(!page.html.contains("style"), "{}", page.html);
}

#[test]
fn commands_and_what_they_print_are_told_apart() {
    let text = "$ curl x -d '{\n  \"a\": 1}'\n{\"b\":2}\n$ a \\\n  b\nc\n$ echo \"it's\"\n";
    let (command, printed) = (|text: &str| Part::Command(text.to_owned()), |text: &str| Part::Printed(text.to_owned()));
    assert_eq!(
        split(text),
        [
            command("curl x -d '{\n  \"a\": 1}'"),
            printed("{\"b\":2}"),
            command("a \\\n  b"),
            printed("c"),
            command("echo \"it's\"")
        ]
    );
    assert!(parsed(&format!("```\n{text}```\n")).html.contains("<span class=\"printed\">{&quot;b&quot;:2}</span>"));
}

#[test]
fn pages_keep_to_their_content_security_policy() {
    for name in pages().chain([""]) {
        let page = body(name);
        assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("=\"data:"), "{name}");
        assert!(page.split("<script").skip(1).all(|script| script.contains(" src=\"/docs/assets/")), "{name}");
    }
    let answer = answer("", None, None);
    let policies: Vec<&str> = answer
        .headers
        .iter()
        .filter(|(name, _)| *name == "content-security-policy")
        .map(|(_, policy)| policy.as_str())
        .collect();
    assert_eq!(
        policies,
        [
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "require-trusted-types-for 'script'; trusted-types 'none'"
        ]
    );
}

#[test]
fn assets_never_change_and_pages_do() {
    let assets: Vec<&str> = files().filter(|path| path.starts_with("assets/")).collect();
    assert_eq!(assets.len(), 4, "{assets:?}");
    assert!(assets.iter().all(|path| is_hashed_name(path)), "{assets:?}");
    let cached = |path: &str| find(path).unwrap().cache_control;
    assert!(assets.iter().all(|path| cached(path).contains("immutable")));
    assert!(pages().chain([""]).all(|name| cached(name) == "no-cache"));
}

#[test]
fn a_page_has_one_address() {
    for path in ["index", "index.html", "missing", "missing.html", "webhooks.html", "webhooks.md", "webhooks/", "../x"]
    {
        assert_eq!(find(path), None, "{path}");
        let answer = answer(path, None, None);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.headers.contains(&("cache-control", "no-store".to_owned())), "{path}");
    }
}

#[test]
fn the_search_index_has_every_section() {
    let path = files().find(|path| path.starts_with("assets/search-")).unwrap();
    let index = body(path);
    let known = "{\"page\":\"webhooks\",\"title\":\"Webhooks and events\",\"anchor\":\"receive-and-verify\",\"heading\":\"Receive and verify\",\"text\":\"Each delivery is a POST";
    assert!(index.contains(known), "{}", &index[..500]);
    let sections: usize = read_pages(&workspace()).unwrap().iter().map(|page| page.sections.len()).sum();
    assert_eq!(index.lines().count(), sections);
}

/// Colours come from the tokens of the console, so that both look alike.
#[test]
fn the_style_has_the_tokens_of_the_console_and_no_colours_of_its_own() {
    let own = fs::read_to_string(workspace().join("crates/web-console/docs/docs.css")).unwrap();
    assert!(!own.contains('#') && !own.contains("rgb(") && !own.contains("url("));
    let path = files().find(|path| path.starts_with("assets/docs-") && path.ends_with("css")).unwrap();
    let tokens = fs::read_to_string(workspace().join("ui/src/styles/tokens.css")).unwrap();
    assert_eq!(body(path), tokens + &own);
}

#[test]
fn the_build_watches_the_files_and_writes_the_pages() {
    let out = std::env::temp_dir().join(format!("switchboard-docs-{}", std::process::id()));
    fs::create_dir_all(&out).unwrap();
    let environment =
        BuildEnvironment { workspace: workspace(), out: out.clone(), ui: None, path: std::ffi::OsString::new() };
    let mut cargo = Vec::new();
    run_docs(&environment, &mut cargo).unwrap();
    let cargo = String::from_utf8(cargo).unwrap();
    assert!(cargo.contains(&format!("cargo::rerun-if-changed={}\n", workspace().join("docs").display())), "{cargo}");
    assert!(!cargo.contains("warning"), "{cargo}");
    let table = fs::read_to_string(out.join("embedded_docs.rs")).unwrap();
    assert!(table.contains("path: \"webhooks.html\""), "{table}");
    fs::remove_dir_all(out).unwrap();
}
