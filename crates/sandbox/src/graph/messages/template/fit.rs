//! Checks parameters against the stored template and renders the message as a phone shows it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::text::{filled, variables};
use super::{Parameter, Parts, Use, count, format};
use crate::core::template::Template;
use crate::graph::error::GraphError;
use crate::graph::parts::Checked;
use crate::{Button, PhoneMessageView};

/// Renders the template with its parameters; an error if a parameter is missing, left over or of the wrong kind.
pub fn fit(template: &Template, used: &Use) -> Checked<PhoneMessageView> {
    let mut shown =
        PhoneMessageView { category: Some(template.category.to_ascii_lowercase()), ..PhoneMessageView::default() };
    part(&template.components, &used.parts, "", &mut shown)?;
    let cards = component(&template.components, "CAROUSEL").and_then(|carousel| carousel["cards"].as_array());
    let cards = cards.map_or(&[][..], Vec::as_slice);
    if cards.len() != used.cards.len() {
        return Err(count("carousel", used.cards.len(), cards.len()));
    }
    for (index, (card, parts)) in cards.iter().zip(&used.cards).enumerate() {
        let components = card["components"].as_array().map_or(&[][..], Vec::as_slice);
        part(components, parts, &format!("card {index} "), &mut shown)?;
    }
    Ok(shown)
}

fn component<'t>(components: &'t [Value], kind: &str) -> Option<&'t Value> {
    components.iter().find(|one| one["type"].as_str().is_some_and(|one| one.eq_ignore_ascii_case(kind)))
}

fn part(components: &[Value], parts: &Parts, prefix: &str, shown: &mut PhoneMessageView) -> Checked<()> {
    let header = header(component(components, "HEADER"), &parts.header, prefix)?;
    let body = body(component(components, "BODY"), &parts.body, prefix)?;
    let footer = component(components, "FOOTER").and_then(|footer| footer["text"].as_str()).map(str::to_owned);
    let lines: Vec<&str> = [header.as_deref(), body.as_deref(), footer.as_deref()].into_iter().flatten().collect();
    if !shown.text.is_empty() {
        shown.text.push('\n');
    }
    shown.text.push_str(&lines.join("\n"));
    // Cards have a prefix, and their texts follow the body of the message.
    if let Some(above) = &mut shown.body {
        above.push('\n');
        above.push_str(&lines.join("\n"));
    } else {
        (shown.header, shown.body, shown.footer) = (header, body, footer);
    }
    let buttons = component(components, "BUTTONS").and_then(|buttons| buttons["buttons"].as_array());
    shown.buttons.extend(tappable(buttons.map_or(&[][..], Vec::as_slice), &parts.buttons, prefix)?);
    Ok(())
}

fn header(header: Option<&Value>, given: &[Parameter], prefix: &str) -> Checked<Option<String>> {
    let part = format!("{prefix}header");
    let Some(header) = header else {
        return if given.is_empty() { Ok(None) } else { Err(count(&part, given.len(), 0)) };
    };
    let format_ = header["format"].as_str().unwrap_or("TEXT").to_ascii_uppercase();
    if format_ == "TEXT" {
        return filled_in(header["text"].as_str().unwrap_or_default(), given, &part).map(Some);
    }
    // A file, location or product: exactly one parameter of that kind.
    match given {
        [one] if one.kind.eq_ignore_ascii_case(&format_) => Ok(None),
        [one] => Err(format(&part, &format_, &one.kind.to_ascii_uppercase())),
        [] => Err(format(&part, &format_, "UNKNOWN")),
        more => Err(count(&part, more.len(), 1)),
    }
}

fn body(body: Option<&Value>, given: &[Parameter], prefix: &str) -> Checked<Option<String>> {
    let text = body.and_then(|body| body["text"].as_str()).unwrap_or_default();
    let text = filled_in(text, given, &format!("{prefix}body"))?;
    if text.chars().count() > 1600 {
        return Err(GraphError::with_code(132_005).details(format!("{prefix}body: the filled-in text is too long")));
    }
    Ok(Some(text))
}

/// Fills the variables, named or numbered: each needs exactly one value, and no value may be left over.
fn filled_in(text: &str, given: &[Parameter], part: &str) -> Checked<String> {
    let mut names = variables(text).unwrap_or_default();
    names.sort_unstable();
    names.dedup();
    if given.len() != names.len() {
        return Err(count(part, given.len(), names.len()));
    }
    if let Some(odd) = given.iter().find(|one| !["text", "currency", "date_time"].contains(&one.kind.as_str())) {
        return Err(format(part, "TEXT", &odd.kind.to_ascii_uppercase()));
    }
    let by_name = names.iter().any(|name| name.bytes().any(|byte| !byte.is_ascii_digit()));
    let mut values: BTreeMap<String, &str> = BTreeMap::new();
    for (index, parameter) in given.iter().enumerate() {
        let name = match &parameter.name {
            Some(name) if by_name => name.clone(),
            None if by_name => return Err(format(part, "a parameter_name", "none")),
            _ => (index + 1).to_string(),
        };
        values.insert(name, &parameter.text);
    }
    if let Some(missing) = names.iter().find(|name| !values.contains_key(**name)) {
        return Err(format(part, &format!("a value for {{{{{missing}}}}}"), "none"));
    }
    Ok(filled(text, |name| values.get(name).copied()))
}

type Given = BTreeMap<i64, (String, Vec<Parameter>)>;

fn tappable(buttons: &[Value], given: &Given, prefix: &str) -> Checked<Vec<Button>> {
    let beyond = given.keys().find(|index| usize::try_from(**index).map_or(true, |index| index >= buttons.len()));
    if let Some(index) = beyond {
        let details = format!("{prefix}buttons: there is no button at index {index}");
        return Err(GraphError::with_code(132_012).details(details));
    }
    let at = |index: usize| i64::try_from(index).ok().and_then(|index| given.get(&index));
    buttons.iter().enumerate().map(|(index, button)| tappable_one(button, at(index), prefix, index)).collect()
}

fn tappable_one(
    button: &Value,
    given: Option<&(String, Vec<Parameter>)>,
    prefix: &str,
    index: usize,
) -> Checked<Button> {
    let part = format!("{prefix}buttons[{index}]");
    let kind = button["type"].as_str().unwrap_or_default().to_ascii_lowercase();
    // Requests give the parameter of a one-time password button the sub type `url`.
    let sub_type = if kind == "otp" { "url" } else { kind.as_str() };
    if let Some((given, _)) = given.filter(|(given, _)| given != sub_type) {
        return Err(format(&part, &sub_type.to_ascii_uppercase(), &given.to_ascii_uppercase()));
    }
    let parameters = given.map_or(&[][..], |(_, parameters)| parameters.as_slice());
    let mut shown = Button {
        text: button["text"].as_str().unwrap_or(usual_text(&kind)).to_owned(),
        kind: kind.clone(),
        ..Button::default()
    };
    match kind.as_str() {
        "url" => shown.url = Some(url(button["url"].as_str().unwrap_or_default(), parameters, &part)?),
        "otp" => shown.payload = Some(one(parameters, &["text"], &part)?),
        "copy_code" => shown.payload = Some(one(parameters, &["coupon_code"], &part)?),
        "order_details" | "mpm" => drop(one(parameters, &["action"], &part)?),
        "quick_reply" => {
            let payload = at_most_one(parameters, &["payload", "text"], &part)?;
            shown.payload = Some(payload.unwrap_or_else(|| shown.text.clone()));
        }
        "phone_number" => shown.payload = button["phone_number"].as_str().map(str::to_owned),
        _ => shown.payload = at_most_one(parameters, &["action", "text", "payload"], &part)?,
    }
    Ok(shown)
}

/// The text that a phone shows on a button without a text of its own.
fn usual_text(kind: &str) -> &'static str {
    match kind {
        "copy_code" => "Copy offer code",
        "otp" => "Copy code",
        _ => "",
    }
}

fn url(url: &str, given: &[Parameter], part: &str) -> Checked<String> {
    if variables(url).unwrap_or_default().is_empty() {
        return if given.is_empty() { Ok(url.to_owned()) } else { Err(count(part, given.len(), 0)) };
    }
    let value = one(given, &["text"], part)?;
    Ok(filled(url, |_| Some(&value)))
}

fn one(given: &[Parameter], kinds: &[&str], part: &str) -> Checked<String> {
    at_most_one(given, kinds, part)?.ok_or_else(|| count(part, 0, 1))
}

fn at_most_one(given: &[Parameter], kinds: &[&str], part: &str) -> Checked<Option<String>> {
    match given {
        [] => Ok(None),
        [one] if kinds.contains(&one.kind.as_str()) => Ok(Some(one.text.clone())),
        [one] => Err(format(part, &kinds.join(" or ").to_ascii_uppercase(), &one.kind.to_ascii_uppercase())),
        more => Err(count(part, more.len(), 1)),
    }
}
