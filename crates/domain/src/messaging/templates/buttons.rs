//! Checks the buttons of a new template: kinds, counts, texts, order.

use super::content::{Action, Button, Content};
use super::naming::{COPY_CODE, Naming};
use super::new::{NewButton, present};
use super::problem::{CheckResult, MemberProblem, at_most, length, one_line};
use super::text_checks::no_variables;
use super::{links, text};
use crate::people::contacts::CustomParam;
use crate::people::phone::PhoneNumber;
use crate::{Field, Place};

const MAX_TEXT: usize = 20;
const MAX_CODE: usize = 15;
const TYPES: &str = "expected quick_reply, url, phone_number, copy_code, flow, catalog, voice_call or order_details";

/// A list of buttons, of the template or of a card.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buttons {
    pub most: usize,
    pub card: Option<usize>,
}

impl Buttons {
    /// `buttons` or `carousel_cards[1].buttons`.
    fn place(self) -> Place {
        let card = |index| Field::CarouselCards.at(index).member(Field::Buttons);
        self.card.map_or_else(|| Field::Buttons.into(), card)
    }

    pub fn checked(self, new: &[NewButton], naming: &mut Naming) -> CheckResult<Vec<Button>> {
        if new.len() > self.most {
            return Err(MemberProblem::new(self.place(), format!("{} buttons, at most {}", new.len(), self.most)));
        }
        let mut buttons: Vec<Button> = Vec::with_capacity(new.len());
        for (index, button) in new.iter().enumerate() {
            let button = self.checked_button(index, button, naming, &buttons)?;
            buttons.push(button);
        }
        self.check_order(&buttons)?;
        Ok(buttons)
    }

    /// The first problem of each button.
    pub fn problems(self, new: &[NewButton], naming: &mut Naming) -> Vec<MemberProblem> {
        let (mut buttons, mut problems) = (Vec::new(), Vec::new());
        for (index, button) in new.iter().enumerate().take(self.most) {
            match self.checked_button(index, button, naming, &buttons) {
                Ok(button) => buttons.push(button),
                Err(problem) => problems.push(problem),
            }
        }
        problems
    }

    fn checked_button(
        self,
        index: usize,
        new: &NewButton,
        naming: &mut Naming,
        earlier: &[Button],
    ) -> CheckResult<Button> {
        let mut check = || {
            let action = self.action(index, new, naming)?;
            let button = Button { text: caption(new, &action)?, action };
            check_beside(earlier, &button)?;
            Ok(button)
        };
        check().map_err(|problem: MemberProblem| problem.within(self.place().at(index)))
    }

    fn action(self, index: usize, new: &NewButton, naming: &mut Naming) -> CheckResult<Action> {
        let kind = new.kind.trim().to_ascii_lowercase();
        let in_card = self.card.is_some();
        match kind.as_str() {
            "quick_reply" => Ok(Action::QuickReply),
            "url" => {
                let name = |variable: &str| match self.card {
                    Some(card) => Naming::card_button(card, index, variable),
                    None => naming.button(index, variable),
                };
                url(new, name)
            }
            "phone_number" | "call" => phone_number(new),
            "copy_code" if !in_card => copy_code(new),
            "flow" if !in_card => flow(new),
            "catalog" if !in_card => Ok(Action::Catalog),
            "voice_call" if !in_card => Ok(Action::VoiceCall),
            "order_details" if !in_card => Ok(Action::OrderDetails),
            "otp" => Err(MemberProblem::new(Field::Type, "otp is only allowed in category AUTHENTICATION")),
            _ if in_card => Err(MemberProblem::new(
                Field::Type,
                format!("{kind:?}: a card can have quick_reply, url and phone_number buttons"),
            )),
            _ => Err(MemberProblem::new(Field::Type, format!("{kind:?}: {TYPES}"))),
        }
    }

    /// Quick replies must be adjacent, before or after all others; a catalog button stands alone.
    fn check_order(self, buttons: &[Button]) -> CheckResult {
        let is_reply = |button: &Button| matches!(button.action, Action::QuickReply);
        let changes = buttons.windows(2).filter(|pair| is_reply(&pair[0]) != is_reply(&pair[1])).count();
        if changes > 1 {
            return Err(MemberProblem::new(
                self.place(),
                "quick replies must be together, before or after all other buttons",
            ));
        }
        let catalog = buttons.iter().any(|button| matches!(button.action, Action::Catalog));
        if catalog && buttons.len() > 1 {
            return Err(MemberProblem::new(self.place(), "a catalog button must be the only button"));
        }
        Ok(())
    }
}

/// Limits the number of each kind. Two replies with the same text could not be distinguished.
fn check_beside(earlier: &[Button], button: &Button) -> CheckResult {
    let kind = button.action.kind();
    let most = match button.action {
        Action::QuickReply => 10,
        Action::Url { .. } => 2,
        _ => 1,
    };
    let count = 1 + earlier.iter().filter(|other| other.action.kind() == kind).count();
    if count > most {
        return Err(MemberProblem::new(Field::Type, format!("{count} buttons of type {kind}, at most {most}")));
    }
    let same = |other: &&Button| other.action == Action::QuickReply && other.text == button.text;
    if button.action == Action::QuickReply && earlier.iter().any(|other| same(&other)) {
        return Err(MemberProblem::new(in_parameter(Field::Text), format!("{:?} appears twice", button.text)));
    }
    Ok(())
}

fn in_parameter(field: Field) -> Place {
    Field::Parameter.member(field)
}

fn caption(new: &NewButton, action: &Action) -> CheckResult<String> {
    let place = &in_parameter(Field::Text);
    let usual = match action {
        Action::CopyCode { .. } => Some("Copy offer code"),
        Action::Catalog => Some("View catalog"),
        Action::OrderDetails => Some("Review and pay"),
        Action::Otp => Some("Copy code"),
        _ => None,
    };
    let text = present(new.text.as_ref()).or(usual).ok_or_else(|| MemberProblem::new(place, "is missing"))?;
    at_most(place, text, MAX_TEXT)?;
    one_line(place, text)?;
    no_variables(place, text)?;
    if text.contains(['{', '}']) {
        return Err(MemberProblem::new(place, "must not contain braces"));
    }
    Ok(text.to_owned())
}

fn url(new: &NewButton, name: impl FnOnce(&str) -> String) -> CheckResult<Action> {
    let place = &in_parameter(Field::Url);
    let url = present(new.url.as_ref()).ok_or_else(|| MemberProblem::new(place, "is missing"))?.trim();
    let variable = links::check_button(place, url)?;
    if variable.as_deref().is_some_and(|name| text::is_number(name) && name != "1") {
        return Err(MemberProblem::new(place, "the variable must be {{1}} or have a name"));
    }
    let kind = new.url_type.as_deref().unwrap_or_default().trim().to_ascii_lowercase();
    let fits = match kind.as_str() {
        "" | "none" => true,
        "dynamic" => variable.is_some(),
        "static" => variable.is_none(),
        _ => {
            return Err(MemberProblem::new(
                in_parameter(Field::UrlType),
                format!("{kind:?}: expected static, dynamic or none"),
            ));
        }
    };
    if !fits {
        let has = if variable.is_some() { "a" } else { "no" };
        return Err(MemberProblem::new(
            in_parameter(Field::UrlType),
            format!("{kind}, but the URL has {has} variable"),
        ));
    }
    let chosen = present(new.parameter.as_ref()).map(str::to_owned);
    let parameter = variable.map(|variable| chosen.unwrap_or_else(|| name(&variable)));
    Ok(Action::Url { url: url.to_owned(), parameter })
}

fn phone_number(new: &NewButton) -> CheckResult<Action> {
    let place = &in_parameter(Field::PhoneNumber);
    let number = present(new.phone_number.as_ref()).ok_or_else(|| MemberProblem::new(place, "is missing"))?;
    let number = PhoneNumber::parse(number).map_err(|error| MemberProblem::new(place, error.to_string()))?;
    Ok(Action::PhoneNumber { phone_number: number.digits().to_owned() })
}

fn copy_code(new: &NewButton) -> CheckResult<Action> {
    let place = &in_parameter(Field::CopyOfferCode);
    let code = present(new.copy_offer_code.as_ref()).map(str::trim);
    let Some(code) = code else { return Ok(Action::CopyCode { code: None, parameter: COPY_CODE.to_owned() }) };
    let variables = text::variables(code).map_err(|message| MemberProblem::new(place, message))?;
    match variables.as_slice() {
        [] => {
            check_code(place, code)?;
            Ok(Action::CopyCode { code: Some(code.to_owned()), parameter: COPY_CODE.to_owned() })
        }
        [one] if code.starts_with("{{") && code.ends_with("}}") && !text::is_number(one) => {
            Ok(Action::CopyCode { code: None, parameter: (*one).to_owned() })
        }
        _ => Err(MemberProblem::new(place, "expected a code, or a single named variable")),
    }
}

fn check_code(path: &Place, code: &str) -> CheckResult {
    length(path, code, MAX_CODE)?;
    one_line(path, code)
}

/// A sample of a code must be a valid code.
pub(super) fn check_code_samples(buttons: &[Button], samples: &[CustomParam]) -> CheckResult {
    for button in buttons {
        let Action::CopyCode { parameter, .. } = &button.action else { continue };
        if let Some(index) = samples.iter().position(|sample| sample.name == *parameter) {
            check_code(&Field::CustomParams.at(index).member(Field::Value), &samples[index].value)?;
        }
    }
    Ok(())
}

fn flow(new: &NewButton) -> CheckResult<Action> {
    let own = |text: Option<&String>| present(text).map(|text| text.trim().to_owned());
    let (flow_id, flow_name) = (own(new.flow_id.as_ref()), own(new.flow_name.as_ref()));
    if flow_id.is_none() && flow_name.is_none() {
        return Err(MemberProblem::new(in_parameter(Field::FlowId), "is missing"));
    }
    if flow_id.as_ref().is_some_and(|id| id.len() > 32 || !text::is_number(id)) {
        return Err(MemberProblem::new(
            in_parameter(Field::FlowId),
            "expected 1 to 32 digits, as the network shows it",
        ));
    }
    let action = own(new.flow_action.as_ref()).map(|action| action.to_ascii_lowercase());
    if action.as_ref().is_some_and(|action| !["navigate", "data_exchange"].contains(&action.as_str())) {
        return Err(MemberProblem::new(in_parameter(Field::FlowAction), "expected navigate or data_exchange"));
    }
    Ok(Action::Flow { flow_id, flow_name, action, screen: own(new.navigate_screen.as_ref()) })
}

/// A one-time password always has one button, which copies the code.
pub(super) fn one_time_password(new: &[NewButton]) -> CheckResult<Vec<Button>> {
    if new.len() > 1 {
        return Err(MemberProblem::new(
            Field::Buttons,
            format!("{} buttons, at most 1 in category AUTHENTICATION", new.len()),
        ));
    }
    let none = NewButton::default();
    let button = new.first().unwrap_or(&none);
    let kind = button.kind.trim().to_ascii_lowercase();
    if !new.is_empty() && !["otp", "copy_code"].contains(&kind.as_str()) {
        return Err(MemberProblem::new(
            Field::Buttons.at(0).member(Field::Type),
            format!("{kind:?}: expected otp in category AUTHENTICATION"),
        ));
    }
    let text = caption(button, &Action::Otp).map_err(|problem| problem.within(Field::Buttons.at(0)))?;
    Ok(vec![Button { text, action: Action::Otp }])
}

/// The type that the request names must fit the buttons.
pub(super) fn check_type(named: Option<&str>, content: &Content) -> CheckResult {
    const TYPE: Field = Field::ButtonsType;
    const KNOWN: [&str; 4] = ["none", "quick_reply", "call_to_action", "quick_reply_and_call_to_action"];
    let named = named.unwrap_or_default().trim().to_ascii_lowercase();
    if named.is_empty() {
        return Ok(());
    }
    if !KNOWN.contains(&named.as_str()) {
        return Err(MemberProblem::new(TYPE, format!("{named:?}: expected {}", KNOWN.join(", "))));
    }
    let is = content.buttons_type();
    // The network adds the button of a one-time password itself.
    let given = content.authentication.is_some() && named == "none";
    if named == is || given {
        Ok(())
    } else {
        Err(MemberProblem::new(TYPE, format!("{named}, but the buttons are {is}")))
    }
}
