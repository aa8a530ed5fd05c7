//! Checks the buttons of a template: types, counts, lengths, order.

use std::collections::BTreeMap;

use super::rules::{Rules, no_sample, refuse};
use crate::graph::parts::{Checked, Part, is_link};

const MAX_BUTTONS: usize = 10;
const MAX_TEXT: usize = 25;

/// Button types, and how many buttons of each a template may have.
const KINDS: &[(&str, usize)] = &[
    ("QUICK_REPLY", 10),
    ("URL", 2),
    ("PHONE_NUMBER", 1),
    ("COPY_CODE", 1),
    ("FLOW", 1),
    ("CATALOG", 1),
    ("MPM", 1),
    ("SPM", 1),
    ("ORDER_DETAILS", 1),
    ("VOICE_CALL", 1),
    ("OTP", 1),
];

pub fn check(component: &Part<'_>, rules: Rules<'_>) -> Checked<()> {
    let buttons = component.objects("buttons", 1..=MAX_BUTTONS)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order = Vec::new();
    for button in &buttons {
        let kind = button.text("type")?.to_ascii_uppercase();
        let known = KINDS.iter().find(|(name, _)| *name == kind);
        let (name, most) = known.ok_or_else(|| button.invalid("type", format!("{kind} is not a button")))?;
        let count = counts.entry(name).or_default();
        *count += 1;
        if *count > *most {
            return Err(button.invalid("type", format!("at most {most} buttons of type {name} are allowed")));
        }
        if (*name == "OTP") != rules.authentication() {
            return Err(button.invalid("type", format!("{name} does not go with category {}", rules.category)));
        }
        one(button, name, rules)?;
        order.push(*name == "QUICK_REPLY");
    }
    grouped(&order)
}

/// Quick replies must be adjacent, before or after all other buttons.
fn grouped(order: &[bool]) -> Checked<()> {
    if order.windows(2).filter(|pair| pair.first() != pair.last()).count() <= 1 {
        return Ok(());
    }
    let text = "Quick reply buttons must be grouped together, before or after all other buttons.";
    Err(refuse(2_388_060, "Buttons are not grouped", text))
}

fn one(button: &Part<'_>, kind: &str, rules: Rules<'_>) -> Checked<()> {
    match kind {
        "COPY_CODE" => match button.get("example") {
            Some(example) => {
                let code = example.as_str().or_else(|| example.get(0)?.as_str()).unwrap_or_default();
                let fits = (1..=15).contains(&code.chars().count());
                if fits { Ok(()) } else { Err(button.invalid("example", "has 1 to 15 characters")) }
            }
            None => Err(no_sample("buttons")),
        },
        "OTP" => button.word("otp_type", &["COPY_CODE", "ONE_TAP", "ZERO_TAP"]).map(drop),
        _ => {
            plain_text(button)?;
            match kind {
                "URL" => url(button, rules),
                "PHONE_NUMBER" => button.text_up_to("phone_number", 20).map(drop),
                "FLOW" => flow(button),
                _ => Ok(()),
            }
        }
    }
}

fn plain_text(button: &Part<'_>) -> Checked<()> {
    let text = button.text_up_to("text", MAX_TEXT)?;
    if text.contains(['{', '}', '\n']) {
        return Err(button.invalid("text", "may not have variables or line breaks"));
    }
    Ok(())
}

/// Checks a URL: it has at most one variable, at its end. In templates with named parameters the variable may be named
/// or `{{1}}`.
fn url(button: &Part<'_>, rules: Rules<'_>) -> Checked<()> {
    let url = button.text_up_to("url", 2000)?;
    let numbered = Rules { named: false, ..rules }.variables(button, url);
    let names = numbered.or_else(|_| rules.variables(button, url))?;
    let fixed = url.split("{{").next().unwrap_or_default();
    let at_end = names.is_empty() || (names.len() == 1 && url.ends_with("}}"));
    if !at_end || !is_link(fixed) {
        return Err(button.invalid("url", "must be an address with at most one variable, at its end"));
    }
    let sampled = button.get("example").is_some_and(|example| example.is_string() || example.get(0).is_some());
    if names.is_empty() || sampled { Ok(()) } else { Err(no_sample("buttons")) }
}

fn flow(button: &Part<'_>) -> Checked<()> {
    let named = ["flow_id", "flow_name", "flow_json"].iter().any(|member| button.get(member).is_some());
    if named { Ok(()) } else { Err(button.invalid("flow_id", "is required")) }
}

/// The types of a card's buttons in order; all cards of a carousel must have the same.
pub fn kinds(components: &[Part<'_>]) -> Checked<Vec<String>> {
    let mut kinds = Vec::new();
    for component in components {
        for button in component.opt_objects("buttons")? {
            kinds.push(button.text("type")?.to_ascii_uppercase());
        }
    }
    Ok(kinds)
}
