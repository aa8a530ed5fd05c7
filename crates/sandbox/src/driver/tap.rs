//! A person taps a button of a message.

use app::{Error, Result};
use domain::{Field, TenantId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::platform::sandbox::people::Person;

use super::results::Found;
use super::{ActingPerson, Hop, Said};
use crate::notices::content;
use crate::notices::messages::Content;
use crate::{Button, PhoneMessageView, Sandbox};

/// If no message is named, this number of newest messages is searched for a button.
const LOOKED_AT: i64 = 50;
/// Button types whose tap sends a reply.
pub(crate) const ANSWERING: [&str; 3] = ["quick_reply", "reply", "row"];

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tap {
    /// The id of the message; without one, the newest message that has such a button.
    #[serde(default)]
    pub message: Option<String>,
    /// The button's text, or its index among the buttons of the message, from 0.
    pub button: String,
}

/// The effect of the tap. Exactly one member is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxTapped)]
pub struct Tapped {
    /// The reply that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub said: Option<Said>,
    /// The link's redirect chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hops: Option<Vec<Hop>>,
    /// The code that is now on the person's clipboard.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "SPRING25", nullable = false)]
    pub copied: Option<String>,
    /// The number that the person's phone would call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155550100", nullable = false)]
    pub number: Option<String>,
}

#[boxed::futures]
impl Sandbox {
    pub async fn tap(&self, tenant: TenantId, person: &str, tap: Tap) -> Result<Tapped> {
        let person = self.find_online(tenant, person).await?;
        let found = self.button(tenant, &person, tap.message.as_deref(), Some(&tap.button), &|_| true).await?;
        self.press(tenant, person, found).await
    }

    pub(super) async fn press(&self, tenant: TenantId, person: Person, found: Found) -> Result<Tapped> {
        let Found { channel, message, button } = found;
        match button.kind.as_str() {
            "url" => {
                let hops = self.follow(tenant, button.url.as_deref().unwrap_or_default()).await;
                Ok(Tapped { hops: Some(hops), ..Tapped::default() })
            }
            "copy_code" | "otp" => Ok(Tapped { copied: button.payload, ..Tapped::default() }),
            "phone_number" => Ok(Tapped { number: button.payload, ..Tapped::default() }),
            "order" | "order_details" => Err(Error::invalid(Field::Button, "this button requests a payment: use pay")),
            _ => {
                let actor = ActingPerson { tenant, channel, person };
                let said = self.send_as_person(&actor, answer(&button)?, button.text.clone(), Some(&message)).await?;
                Ok(Tapped { said: Some(said), ..Tapped::default() })
            }
        }
    }

    /// Taps a reply button; the reply gets the id `id`. Idempotent: has no effect when a message has this id.
    pub(crate) async fn answer_with_id(&self, id: String, tenant: TenantId, person: Person, tap: Tap) -> Result<()> {
        let answering = |button: &Button| ANSWERING.contains(&button.kind.as_str());
        let found = self.button(tenant, &person, tap.message.as_deref(), Some(&tap.button), &answering).await?;
        let Found { channel, message, button } = found;
        let actor = ActingPerson { tenant, channel, person };
        self.send_as_person_with_id(id, &actor, answer(&button)?, &button.text, Some(&message)).await.map(drop)
    }

    /// Finds a button: of the message with this id, or of the newest message that has a fitting one.
    pub(super) async fn button(
        &self,
        tenant: TenantId,
        person: &Person,
        message: Option<&str>,
        called: Option<&str>,
        fits: &(dyn Fn(&Button) -> bool + Sync),
    ) -> Result<Found> {
        let candidates = match message {
            Some(id) => vec![self.message(tenant, person, Field::Message, id).await?],
            None => self.received(tenant, person, LOOKED_AT).await?,
        };
        let newest =
            candidates.first().map(|(_, message)| PhoneMessageView::from_message(message).buttons).unwrap_or_default();
        for (channel, message) in candidates {
            let buttons: Vec<Button> =
                PhoneMessageView::from_message(&message).buttons.into_iter().filter(&fits).collect();
            if let Some(button) = chosen(&buttons, called) {
                return Ok(Found { button: button.clone(), channel, message });
            }
        }
        Err(Error::invalid(Field::Button, format!("there is no such button; {}", choices(&newest))))
    }
}

/// Finds a button by its exact text, else its text in any letter case, else its index; the first without `called`.
fn chosen<'a>(buttons: &'a [Button], called: Option<&str>) -> Option<&'a Button> {
    let Some(called) = called.map(str::trim) else { return buttons.first() };
    let exact = buttons.iter().find(|button| button.text == called);
    let loose = || buttons.iter().find(|button| button.text.to_lowercase() == called.to_lowercase());
    let by_index = || called.parse::<usize>().ok().and_then(|index| buttons.get(index));
    exact.or_else(loose).or_else(by_index)
}

fn choices(buttons: &[Button]) -> String {
    if buttons.is_empty() {
        return "the newest message has none".to_owned();
    }
    let named: Vec<String> = buttons.iter().enumerate().map(|(index, one)| format!("{index}: {}", one.text)).collect();
    format!("the newest message has {}", named.join(", "))
}

/// The message that a tap sends to the business.
fn answer(button: &Button) -> Result<Content> {
    let id = button.payload.as_deref().unwrap_or(&button.text);
    match button.kind.as_str() {
        "quick_reply" => Ok(content::template_button(&button.text, id)),
        "reply" => Ok(content::button_reply(id, &button.text)),
        "row" => Ok(content::list_reply(id, &button.text, button.description.as_deref())),
        "flow" => Ok(content::flow_reply(&json!({ "flow_token": id }))),
        other => Err(Error::invalid(Field::Button, format!("a button of type {other} does nothing in the sandbox"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button(text: &str, kind: &str) -> Button {
        Button { text: text.to_owned(), kind: kind.to_owned(), ..Button::default() }
    }

    #[test]
    fn a_button_is_found_by_text_before_index() {
        let buttons = [button("1", "reply"), button("Yes", "reply"), button("yes", "reply")];
        for (called, index) in [("1", 0), ("Yes", 1), ("yes", 2), ("YES", 1), (" 2 ", 2), ("0", 0)] {
            assert_eq!(chosen(&buttons, Some(called)), Some(&buttons[index]), "{called}");
        }
        assert_eq!(chosen(&buttons, Some("3")), None);
        assert_eq!(chosen(&buttons, None), Some(&buttons[0]));
    }

    #[test]
    fn each_kind_answers_in_its_own_shape() {
        for (kind, member) in [("quick_reply", "payload"), ("reply", "button_reply"), ("row", "list_reply")] {
            assert!(answer(&button("Yes", kind)).unwrap().value.get(member).is_some(), "{kind}");
        }
        assert!(matches!(answer(&button("See", "catalog")), Err(Error::Invalid { .. })));
    }
}
