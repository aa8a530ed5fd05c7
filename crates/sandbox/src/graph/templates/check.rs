//! Checks a template as the network does: names, lengths, variables and samples.

use std::collections::BTreeSet;

use serde_json::Value;

use super::buttons;
use super::rules::{Rules, no_sample, refuse};
use crate::core::template::Template;
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

const MAX_HEADER: usize = 60;
const MAX_BODY: usize = 1024;
const MAX_CARD_BODY: usize = 160;
const MAX_FOOTER: usize = 60;
const CATEGORIES: [&str; 3] = ["MARKETING", "UTILITY", "AUTHENTICATION"];

/// A parsed request to create or edit a template.
#[derive(Debug)]
pub struct TemplateRequest {
    pub name: String,
    pub language: String,
    pub category: String,
    pub parameter_format: String,
    pub components: Vec<Value>,
}

impl TemplateRequest {
    pub fn parse(root: &Part<'_>) -> Checked<Self> {
        let name = root.opt_text("name")?.ok_or_else(|| GraphError::parameter("The parameter name is required."))?;
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !(1..=512).contains(&name.len()) || !name.bytes().all(fits) {
            let text = "Message template name can only have lowercase letters, digits and underscores.";
            return Err(refuse(2_388_047, "Name is not allowed", text));
        }
        let language = root.opt_text("language")?;
        let language = language.ok_or_else(|| GraphError::parameter("The parameter language is required."))?;
        if !is_language(language) {
            return Err(GraphError::parameter(format!("Param language is not a language: {language:?}")));
        }
        let category = category(root)?.ok_or_else(|| GraphError::parameter("The parameter category is required."))?;
        let format = root.opt_text("parameter_format")?.unwrap_or("POSITIONAL").to_ascii_uppercase();
        Self::checked(root, name.to_owned(), language.to_owned(), category, format)
    }

    /// A parsed edit of `template`: new components, a new category, or both.
    pub fn changed(root: &Part<'_>, template: &Template) -> Checked<Self> {
        let category = category(root)?.unwrap_or_else(|| template.category.clone());
        let Template { name, language, parameter_format, components, .. } = template.clone();
        if root.get("components").is_some() {
            return Self::checked(root, name, language, category, parameter_format);
        }
        if root.get("category").is_none() {
            return Err(GraphError::parameter("The parameter components is required."));
        }
        Ok(Self { name, language, category, parameter_format, components })
    }

    fn checked(root: &Part<'_>, name: String, language: String, category: String, format: String) -> Checked<Self> {
        if !["POSITIONAL", "NAMED"].contains(&format.as_str()) {
            return Err(GraphError::parameter("Param parameter_format must be one of {NAMED, POSITIONAL}"));
        }
        let list = root.opt_list("components")?;
        let list = list.ok_or_else(|| GraphError::parameter("The parameter components is required."))?;
        let rules = Rules { named: format == "NAMED", category: &category, card: false };
        rules.components(&root.opt_objects("components")?)?;
        let mut components = list.clone();
        if category == "AUTHENTICATION" {
            components.iter_mut().for_each(worded);
        }
        Ok(Self { name, language, category, parameter_format: format, components })
    }
}

/// Sets the text of a component of a one-time password template, which the network prescribes.
fn worded(component: &mut Value) {
    let kind = component["type"].as_str().unwrap_or_default().to_ascii_uppercase();
    if kind == "BODY" {
        let careful = component["add_security_recommendation"] == true;
        let advice = if careful { " For your security, do not share this code." } else { "" };
        component["text"] = format!("*{{{{1}}}}* is your verification code.{advice}").into();
    } else if let Some(minutes) = component["code_expiration_minutes"].as_i64().filter(|_| kind == "FOOTER") {
        component["text"] = format!("This code expires in {minutes} minutes.").into();
    }
}

fn category(root: &Part<'_>) -> Checked<Option<String>> {
    let Some(category) = root.opt_text("category")? else { return Ok(None) };
    let category = category.to_ascii_uppercase();
    if CATEGORIES.contains(&category.as_str()) {
        return Ok(Some(category));
    }
    Err(GraphError::parameter(format!("Param category must be one of {{{}}}", CATEGORIES.join(", "))))
}

/// Language, optionally with country: `en`, `en_US`, `fil`, `zh_HK`.
fn is_language(code: &str) -> bool {
    let (language, country) = code.split_once('_').map_or((code, None), |(one, other)| (one, Some(other)));
    let small = (2..=3).contains(&language.len()) && language.bytes().all(|letter| letter.is_ascii_lowercase());
    let capital = |country: &str| country.len() == 2 && country.bytes().all(|letter| letter.is_ascii_uppercase());
    small && country.is_none_or(capital)
}

impl Rules<'_> {
    fn components(&self, components: &[Part<'_>]) -> Checked<()> {
        let mut seen = BTreeSet::new();
        for component in components {
            let kind = component.text("type")?.to_ascii_uppercase();
            self.component(component, &kind)?;
            if !seen.insert(kind.clone()) {
                return Err(component.invalid("type", format!("{kind} is there twice")));
            }
        }
        if !seen.contains("BODY") && !self.card {
            return Err(refuse(2_388_042, "Body is missing", "A message template must have a body."));
        }
        Ok(())
    }

    fn component(&self, component: &Part<'_>, kind: &str) -> Checked<()> {
        match kind {
            "HEADER" => self.header(component),
            "BODY" => self.body(component),
            "FOOTER" => self.footer(component),
            "BUTTONS" => buttons::check(component, *self),
            "CAROUSEL" if !self.card => self.carousel(component),
            "LIMITED_TIME_OFFER" if !self.card => {
                component.object("limited_time_offer")?.text_up_to("text", 16).map(drop)
            }
            _ => Err(component.invalid("type", format!("{kind} is not a component"))),
        }
    }

    fn header(&self, header: &Part<'_>) -> Checked<()> {
        let format = header.opt_text("format")?.unwrap_or("TEXT").to_ascii_uppercase();
        if self.authentication() {
            return Err(header.invalid("type", "HEADER is not allowed in an authentication template"));
        }
        match format.as_str() {
            "TEXT" if !self.card => self.header_text(header),
            "IMAGE" | "VIDEO" | "DOCUMENT" => {
                let example = header.opt_object("example")?;
                let handles = example.as_ref().map(|example| example.opt_list("header_handle")).transpose()?.flatten();
                if handles.is_none_or(Vec::is_empty) {
                    return Err(no_sample("header"));
                }
                Ok(())
            }
            "LOCATION" | "PRODUCT" => Ok(()),
            other => Err(header.invalid("format", format!("{other} is not a format"))),
        }
    }

    fn header_text(&self, header: &Part<'_>) -> Checked<()> {
        let text = header.text_up_to("text", MAX_HEADER)?;
        let names = self.variables(header, text)?;
        if names.len() > 1 {
            return Err(header.invalid("text", "may have one variable"));
        }
        let example = header.opt_object("example")?;
        self.samples(example.as_ref(), "header_text", names.len(), "header")
    }

    fn body(&self, body: &Part<'_>) -> Checked<()> {
        if self.authentication() {
            // The network prescribes the text.
            return body.opt_bool("add_security_recommendation").map(drop);
        }
        let text = body.text_up_to("text", if self.card { MAX_CARD_BODY } else { MAX_BODY })?;
        let names = self.variables(body, text)?;
        if text.trim_start().starts_with("{{") || text.trim_end().ends_with("}}") {
            let text = "Variables can't be at the start or end of the template.";
            return Err(refuse(2_388_299, "Leading or trailing parameters are not allowed", text));
        }
        let words = text.split_whitespace().filter(|word| !word.contains("{{")).count();
        if names.len() > words {
            let text = "This template has too many variables for its length.";
            return Err(refuse(2_388_293, "Parameters words ratio exceeds limit", text));
        }
        let example = body.opt_object("example")?;
        self.samples(example.as_ref(), "body_text", names.len(), "body")
    }

    fn footer(&self, footer: &Part<'_>) -> Checked<()> {
        if self.authentication() {
            let minutes = footer.opt_integer("code_expiration_minutes")?;
            let fits = minutes.is_none_or(|minutes| (1..=90).contains(&minutes));
            return if fits { Ok(()) } else { Err(footer.invalid("code_expiration_minutes", "must be 1 to 90")) };
        }
        let text = footer.text_up_to("text", MAX_FOOTER)?;
        if text.contains("{{") { Err(footer.invalid("text", "may not have variables")) } else { Ok(()) }
    }

    /// Checks that each variable has a sample: in the list `{member}_named_params` if `named`, else in the list
    /// `member` or the first list inside it.
    fn samples(&self, example: Option<&Part<'_>>, member: &str, count: usize, of: &str) -> Checked<()> {
        if count == 0 {
            return Ok(());
        }
        let Some(example) = example else { return Err(no_sample(of)) };
        let given = if self.named {
            example.opt_list(&format!("{member}_named_params"))?.map_or(0, Vec::len)
        } else {
            example.opt_list(member)?.map_or(0, |list| match list.first() {
                Some(Value::Array(inner)) => inner.len(),
                _ => list.len(),
            })
        };
        if given == count { Ok(()) } else { Err(no_sample(of)) }
    }

    fn carousel(&self, carousel: &Part<'_>) -> Checked<()> {
        let cards = carousel.objects("cards", 2..=10)?;
        let mut shape = None;
        for card in &cards {
            let components = card.objects("components", 1..=3)?;
            Rules { card: true, ..*self }.components(&components)?;
            let kinds: Vec<String> = buttons::kinds(&components)?;
            if *shape.get_or_insert_with(|| kinds.clone()) != kinds {
                return Err(carousel.invalid("cards", "must all have the same buttons"));
            }
        }
        Ok(())
    }
}
