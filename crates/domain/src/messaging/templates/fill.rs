//! Fills in a template: the text that a person reads, and the values that the network needs.

use super::content::{Action, Button, Card, Content, Header, Media, MediaKind, card_parameter};
use super::parameters::{EXPIRATION, FLOW_TOKEN, LATITUDE, LONGITUDE, PLACE_ADDRESS, PLACE_NAME, THUMBNAIL};
use super::problem::{CheckResult, MemberProblem};
use super::values::Values;
use super::{Template, links, text};
use crate::Field;
use crate::people::contacts::CustomParam;

/// The parts of a template message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filled {
    /// The texts of the body and of all cards, with their values.
    pub text: String,
    /// `text`, `image`, `video`, `document`, `location`
    pub header_kind: Option<&'static str>,
    pub header_text: Option<String>,
    pub header_link: Option<String>,
    pub footer: Option<String>,
    /// Buttons of the message and of all cards.
    pub buttons: Vec<FilledButton>,
    pub part: FilledPart,
    pub cards: Vec<FilledPart>,
    /// When a limited-time offer ends, in milliseconds since 1970.
    pub expiration_ms: Option<i64>,
}

/// A button as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledButton {
    pub index: u8,
    pub card: Option<u8>,
    pub kind: &'static str,
    pub text: String,
    /// The target with its variable filled in, also of a tracked link.
    pub url: Option<String>,
    pub phone_number: Option<String>,
    /// The code that it copies.
    pub code: Option<String>,
}

/// The values of the message itself, or of one card.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FilledPart {
    pub header: Option<FilledHeader>,
    pub body: Vec<FilledValue>,
    pub buttons: Vec<(u8, ButtonValue)>,
}

/// The value of a variable; without a name that of the next number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledValue {
    pub name: Option<String>,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FilledHeader {
    Text(FilledValue),
    Media { kind: MediaKind, link: String, file_name: Option<String> },
    Location(FilledLocation),
}

#[derive(Debug, Clone, PartialEq)]
pub struct FilledLocation {
    pub latitude: f64,
    pub longitude: f64,
    pub name: Option<String>,
    pub address: Option<String>,
}

/// The value that the network needs for a button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ButtonValue {
    /// The end of the URL; none when the URL is fixed.
    Url(Option<String>),
    Code(String),
    Otp(String),
    Flow(Option<String>),
    Catalog(Option<String>),
}

const MAX_BODY: usize = 1024;
const MAX_HEADER: usize = 60;
const MAX_CODE: usize = 15;

impl Template {
    /// Fails unless every required parameter has exactly one value. Values of other names are ignored.
    pub fn fill(&self, params: &[CustomParam]) -> Result<Filled, MemberProblem> {
        self.content.fill(params)
    }
}

impl Content {
    pub fn fill(&self, params: &[CustomParam]) -> Result<Filled, MemberProblem> {
        if let Some(unknown) = &self.unknown {
            return Err(MemberProblem::new(
                Field::TemplateName,
                format!("the template has {unknown}, which cannot be sent from here"),
            ));
        }
        let values = Values::match_params(params, &self.parameters())?;
        let writer = Filler { values: &values, named: self.is_named() && self.authentication.is_none() };
        let mut filled = Filled { footer: self.footer.clone(), ..Filled::default() };
        if let Some(header) = &self.header {
            writer.header(header, &mut filled)?;
        }
        filled.text = writer.body(&self.body, &mut filled.part.body, str::to_owned)?;
        writer.buttons(&self.buttons, None, &mut filled)?;
        for (index, card) in self.cards.iter().enumerate() {
            writer.card(index, card, &mut filled)?;
        }
        if self.offer.as_ref().is_some_and(|offer| offer.has_expiration) {
            filled.expiration_ms = Some(writer.expiration()?);
        }
        Ok(filled)
    }
}

struct Filler<'a> {
    values: &'a Values<'a>,
    named: bool,
}

impl Filler<'_> {
    fn value(&self, name: &str) -> CheckResult<String> {
        self.values
            .get(name)
            .map(str::to_owned)
            .ok_or_else(|| self.values.problem(name, format!("no value for {name:?}")))
    }

    /// A value that becomes part of a text. Fails if it has characters that the network refuses there.
    fn text_value(&self, name: &str) -> CheckResult<String> {
        let value = self.value(name)?;
        if value.contains(['\n', '\r', '\t']) {
            return Err(self.values.problem(name, "must not contain line breaks or tabs"));
        }
        if value.contains("     ") {
            return Err(self.values.problem(name, "must not contain more than 4 spaces in a row"));
        }
        if value.chars().any(char::is_control) {
            return Err(self.values.problem(name, "must not contain control characters"));
        }
        Ok(value)
    }

    fn optional(&self, name: &str) -> CheckResult<Option<String>> {
        self.values.get(name).map(|_| self.text_value(name)).transpose()
    }

    fn given(&self, variable: &str, value: String) -> FilledValue {
        FilledValue { name: self.named.then(|| variable.to_owned()), value }
    }

    fn header(&self, header: &Header, filled: &mut Filled) -> CheckResult {
        filled.header_kind = Some(header.kind());
        match header {
            Header::Text { text, parameter } => {
                filled.header_text = Some(self.header_text(text, parameter.as_deref(), &mut filled.part)?);
            }
            Header::Media(media) => {
                let header = self.media(media)?;
                if let FilledHeader::Media { link, .. } = &header {
                    filled.header_link = Some(link.clone());
                }
                filled.part.header = Some(header);
            }
            Header::Location => filled.part.header = Some(FilledHeader::Location(self.location()?)),
        }
        Ok(())
    }

    fn header_text(&self, text: &str, parameter: Option<&str>, part: &mut FilledPart) -> CheckResult<String> {
        let Some(parameter) = parameter else { return Ok(text.to_owned()) };
        let value = self.text_value(parameter)?;
        let shown = text::filled(text, |_| Some(&value));
        let characters = shown.chars().count();
        if characters > MAX_HEADER {
            let message = format!("the filled-in header has {characters} characters, at most {MAX_HEADER}");
            return Err(self.values.problem(parameter, message));
        }
        let variable = text::ordered(text).first().copied().unwrap_or_default().to_owned();
        part.header = Some(FilledHeader::Text(self.given(&variable, value)));
        Ok(shown)
    }

    fn media(&self, media: &Media) -> CheckResult<FilledHeader> {
        let own = self.values.get(&media.parameter);
        let link = match (own, &media.link) {
            (Some(own), _) => {
                links::check_link(&self.values.place(&media.parameter), own)?;
                own.to_owned()
            }
            (None, Some(link)) => link.clone(),
            (None, None) => self.value(&media.parameter)?,
        };
        let named = || media.file_name.clone().or_else(|| links::file_name(&link));
        let file_name = if media.kind == MediaKind::Document { named() } else { None };
        Ok(FilledHeader::Media { kind: media.kind, link, file_name })
    }

    fn location(&self) -> CheckResult<FilledLocation> {
        Ok(FilledLocation {
            latitude: self.degrees(LATITUDE, 90.0)?,
            longitude: self.degrees(LONGITUDE, 180.0)?,
            name: self.optional(PLACE_NAME)?,
            address: self.optional(PLACE_ADDRESS)?,
        })
    }

    fn degrees(&self, name: &str, most: f64) -> CheckResult<f64> {
        let degrees = self.value(name)?.trim().parse::<f64>().ok().filter(|degrees| degrees.abs() <= most);
        degrees.ok_or_else(|| self.values.problem(name, format!("expected degrees from -{most} to {most}")))
    }

    /// Fills in a body and adds its values to `out`. `parameter` gives the name of a variable's parameter.
    fn body(&self, text: &str, out: &mut Vec<FilledValue>, parameter: impl Fn(&str) -> String) -> CheckResult<String> {
        for variable in text::ordered(text) {
            let value = self.text_value(&parameter(variable))?;
            out.push(self.given(variable, value));
        }
        let shown = text::filled(text, |variable| self.values.get(&parameter(variable)));
        let characters = shown.chars().count();
        if characters > MAX_BODY {
            let message = format!("the filled-in body has {characters} characters, at most {MAX_BODY}");
            return Err(MemberProblem::new(Field::CustomParams, message));
        }
        Ok(shown)
    }

    fn buttons(&self, buttons: &[Button], card: Option<u8>, filled: &mut Filled) -> CheckResult {
        let mut values = Vec::new();
        for (index, button) in (0_u8..).zip(buttons) {
            let mut shown = FilledButton {
                index,
                card,
                kind: button.action.kind(),
                text: button.text.clone(),
                url: None,
                phone_number: None,
                code: None,
            };
            let value = self.button(&button.action, &filled.part.body, &mut shown)?;
            values.extend(value.map(|value| (index, value)));
            filled.buttons.push(shown);
        }
        match card {
            Some(_) => filled.cards.last_mut().into_iter().for_each(|part| part.buttons.clone_from(&values)),
            None => filled.part.buttons = values,
        }
        Ok(())
    }

    fn button(
        &self,
        action: &Action,
        body: &[FilledValue],
        shown: &mut FilledButton,
    ) -> CheckResult<Option<ButtonValue>> {
        Ok(match action {
            Action::QuickReply | Action::VoiceCall | Action::OrderDetails => None,
            Action::PhoneNumber { phone_number } => {
                shown.phone_number = Some(phone_number.clone());
                None
            }
            Action::Url { url, parameter } => {
                let suffix = parameter.as_deref().map(|name| self.suffix(url, name)).transpose()?;
                shown.url = Some(text::filled(url, |_| suffix.as_deref()));
                Some(ButtonValue::Url(suffix))
            }
            Action::CopyCode { code, parameter } => {
                let code = self.code(code.as_deref(), parameter)?;
                shown.code = Some(code.clone());
                Some(ButtonValue::Code(code))
            }
            Action::Otp => {
                let code = body.first().map(|given| given.value.clone()).unwrap_or_default();
                shown.code = Some(code.clone());
                Some(ButtonValue::Otp(code))
            }
            Action::Flow { .. } => Some(ButtonValue::Flow(self.optional(FLOW_TOKEN)?)),
            Action::Catalog => Some(ButtonValue::Catalog(self.optional(THUMBNAIL)?)),
        })
    }

    fn suffix(&self, url: &str, name: &str) -> CheckResult<String> {
        let value = self.text_value(name)?;
        if links::climbs(url, &value) {
            return Err(self.values.problem(name, "a path segment of the URL must not be . or ..".to_owned()));
        }
        let suffix = links::encoded(url, &value);
        let characters = text::filled(url, |_| Some(&suffix)).chars().count();
        if characters > links::MAX_URL {
            let message = format!("the filled-in URL has {characters} characters, at most {}", links::MAX_URL);
            return Err(self.values.problem(name, message));
        }
        Ok(suffix)
    }

    fn code(&self, usual: Option<&str>, parameter: &str) -> CheckResult<String> {
        let Some(own) = self.values.get(parameter) else {
            return usual.map_or_else(|| self.value(parameter), |code| Ok(code.to_owned()));
        };
        let characters = own.chars().count();
        if characters > MAX_CODE {
            return Err(self.values.problem(parameter, format!("{characters} characters, at most {MAX_CODE}")));
        }
        self.text_value(parameter)
    }

    fn card(&self, index: usize, card: &Card, filled: &mut Filled) -> CheckResult {
        let mut part = FilledPart { header: Some(self.media(&card.header)?), ..FilledPart::default() };
        if let Some(body) = &card.body {
            let shown = self.body(body, &mut part.body, |variable| card_parameter(index, variable))?;
            filled.text.push('\n');
            filled.text.push_str(&shown);
        }
        filled.cards.push(part);
        self.buttons(&card.buttons, u8::try_from(index).ok(), filled)
    }

    fn expiration(&self) -> CheckResult<i64> {
        let at = self.value(EXPIRATION)?.trim().parse::<i64>().ok().filter(|at| *at > 0);
        at.ok_or_else(|| self.values.problem(EXPIRATION, "expected milliseconds since 1970"))
    }
}
