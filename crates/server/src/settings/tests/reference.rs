//! `docs/settings.md`, generated from the catalogue.

use std::fmt::Write as _;

use domain::identity::plans::Family;
use toml::Value;

use super::super::catalogue::CATALOGUE;
use super::super::kind::Kind;
use super::super::plans;
use super::super::setting::Setting;
use super::super::text::{default_in_words, introduction};

const BEGINNING: &str = "# Settings

Settings control where the server listens, where it keeps its data and which limits apply. All are optional.

```
$ SWITCHBOARD_LOG_FORMAT=json switchboard config show
…
log.format = \"json\"  # env SWITCHBOARD_LOG_FORMAT
…
```

`switchboard config show` prints the settings in force and where each value comes from, `switchboard config sample` a \
config file with every setting, `switchboard config --help` this page.

";

/// Text that Markdown shows as it is, in a cell.
fn plain(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}

fn heading(setting: &Setting) -> &'static str {
    match (setting.section(), setting.kind) {
        ("", Kind::Plans | Kind::BaseUrls) => "Tables",
        ("", _) => "General",
        (section, _) => section,
    }
}

fn row(setting: &Setting) -> String {
    let flag = setting.flag.map_or_else(String::new, |flag| format!(", flag `{flag}`"));
    let default = match default_in_words(setting) {
        words if setting.kind == Kind::Plans || words == "not set" => words.split(" (").next().unwrap().to_owned(),
        value => format!("`{value}`"),
    };
    let (key, variable) = (setting.key, setting.env_name());
    let (doc, allowed) = (plain(setting.doc), plain(&setting.kind.allowed()));
    format!("| `{key}` | {default} | {doc} Allowed: {allowed}. Variable `{variable}`{flag}. |\n")
}

/// The numbers of the built-in plans.
fn plan_table() -> String {
    let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
    let mut table = format!("| plan | features | calls per month | {} |\n", names.join(" | "));
    writeln!(table, "|---|---|---|{}", "---|".repeat(names.len())).unwrap();
    for (name, plan) in plans::built_in() {
        let number = |value: Option<&Value>| value.map_or_else(|| "no limit".to_owned(), ToString::to_string);
        let features: Vec<String> =
            plan["features"].as_array().unwrap().iter().map(|one| format!("`{}`", one.as_str().unwrap())).collect();
        write!(table, "| `{name}` | {} | {} |", features.join(", "), number(plan.get("monthly_calls"))).unwrap();
        for family in &names {
            write!(table, " {} |", number(plan.get("rates").and_then(|rates| rates.get(family)))).unwrap();
        }
        table.push('\n');
    }
    table
}

fn page() -> String {
    let mut page = format!("{BEGINNING}## Where a setting comes from\n\n{}\n", introduction());
    let mut section = "";
    let mut examples = String::new();
    for setting in &CATALOGUE {
        if heading(setting) != section {
            page.push_str(&std::mem::take(&mut examples));
            section = heading(setting);
            write!(page, "\n## {section}\n\n| setting | default | meaning |\n|---|---|---|\n").unwrap();
        }
        page.push_str(&row(setting));
        if !setting.example.is_empty() {
            write!(examples, "\nAn example of `{}`:\n\n```toml\n{}\n```\n", setting.key, setting.example).unwrap();
        }
    }
    page.push_str(&examples);
    page.push_str(
        "\n## Built-in plans\n\nThe number for each operation family is the number of calls per 10-second window.\n\n",
    );
    page.push_str(&plan_table());
    page
}

#[test]
fn the_page_of_settings_is_the_catalogue() {
    testkit::generated::assert_generated("docs/settings.md", &page());
}
