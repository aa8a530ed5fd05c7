//! Tracked links: the key of a link, and the classes of stored hits on it by the present rules.

use std::collections::HashSet;

use super::class::{ClickClass, ClickSource};
use super::request::Request;
use super::rules::classify;
use crate::{Id, MessageId};

/// A button of a message. Card and button are none where the network did not name the button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    pub message: MessageId,
    pub card: Option<u8>,
    pub button: Option<u8>,
}

/// Stands for no card or no button in a key.
const NONE: u8 = 0xff;

impl Link {
    /// Length of a key in bytes.
    pub const KEY: usize = 14;

    /// Message, card and button as bytes: the form in codes and in the database.
    pub fn key(&self) -> [u8; Self::KEY] {
        let mut key = [0; Self::KEY];
        let (message, rest) = key.split_at_mut(12);
        message.copy_from_slice(self.message.bytes());
        rest.copy_from_slice(&[self.card.unwrap_or(NONE), self.button.unwrap_or(NONE)]);
        key
    }

    pub fn from_key(key: &[u8]) -> Option<Self> {
        let (message, rest) = key.split_at_checked(12)?;
        let spot = u16::from_be_bytes(rest.try_into().ok()?);
        Some(Self::at_spot(Id::from_bytes(message.try_into().ok()?), spot.into()))
    }

    /// Card and button as one number: hits of one template are counted by it.
    pub fn spot(&self) -> i64 {
        u16::from_be_bytes([self.card.unwrap_or(NONE), self.button.unwrap_or(NONE)]).into()
    }

    pub fn at_spot(message: MessageId, spot: i64) -> Self {
        let [card, button] = u16::try_from(spot).unwrap_or(u16::MAX).to_be_bytes();
        let there = |number: u8| (number != NONE).then_some(number);
        Self { message, card: there(card), button: there(button) }
    }
}

/// The part of a stored hit that a rescoring needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastHit {
    pub link: Link,
    pub class: ClickClass,
    pub source: ClickSource,
    /// None after the contact was erased.
    pub request: Option<Request>,
}

impl PastHit {
    /// The class by the present rules. None where they cannot decide: the request was erased, or the network named no
    /// button.
    fn scored(&self) -> Option<ClickClass> {
        match self.source {
            ClickSource::Network => self.link.button.map(|_| ClickClass::Human),
            ClickSource::Redirect => self.request.as_ref().map(classify),
        }
    }
}

/// The classes of hits by the present rules. The hits of one link must be in the order of their times; `people` are the
/// links that a person opened before them.
pub fn rescore(hits: &[PastHit], people: &[Link]) -> Vec<ClickClass> {
    let mut people: HashSet<Link> = people.iter().copied().collect();
    let mut classes = Vec::with_capacity(hits.len());
    for hit in hits {
        let class = match (hit.scored(), hit.class) {
            (Some(class), _) | (None, class @ ClickClass::Human) => class.after(people.contains(&hit.link)),
            (None, class) => class,
        };
        if class == ClickClass::Human {
            people.insert(hit.link);
        }
        classes.push(class);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::ClickClass::{Human, Preview, Repeat, Scanner};
    use super::*;

    fn link(button: u8) -> Link {
        Link { message: Id::from_bytes([7; 12]), card: None, button: Some(button) }
    }

    fn hit(button: u8, agent: &str, class: ClickClass) -> PastHit {
        let headers = [("user-agent", agent), ("accept-language", "en")];
        let get = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_bytes());
        PastHit { link: link(button), class, source: ClickSource::Redirect, request: Some(Request::new("GET", get)) }
    }

    const PHONE: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
                         Mobile Safari/537.36";

    #[test]
    fn the_first_person_of_a_button_is_human_and_the_others_repeat() {
        let erased = PastHit { request: None, ..hit(0, "", Human) };
        let from_network = PastHit { source: ClickSource::Network, request: None, ..hit(2, "", Scanner) };
        let of_no_button = |class| PastHit {
            link: Link { button: None, ..link(0) },
            source: ClickSource::Network,
            request: None,
            ..hit(0, "", class)
        };
        assert_eq!(rescore(&[of_no_button(Repeat), of_no_button(Human)], &[]), [Repeat, Human]);
        let hits = [
            hit(0, "WhatsApp/2.23.20.0 A", Human),
            hit(0, PHONE, Scanner),
            erased,
            hit(1, PHONE, Repeat),
            from_network,
            hit(2, PHONE, Human),
        ];
        assert_eq!(rescore(&hits, &[]), [Preview, Human, Repeat, Human, Human, Repeat]);
        // A second rescoring changes nothing.
        let again: Vec<PastHit> = hits
            .into_iter()
            .zip([Preview, Human, Repeat, Human, Human, Repeat])
            .map(|(hit, class)| PastHit { class, ..hit })
            .collect();
        assert_eq!(rescore(&again, &[]), [Preview, Human, Repeat, Human, Human, Repeat]);
    }

    #[test]
    fn links_opened_before_make_a_hit_a_repeat() {
        let hits = [hit(0, PHONE, Human), hit(1, PHONE, Repeat)];
        assert_eq!(rescore(&hits, &[link(0)]), [Repeat, Human]);
    }

    #[test]
    fn keys_are_parsed_back() {
        for (card, button) in [(None, Some(0)), (Some(9), Some(1)), (None, None)] {
            let one = Link { card, button, ..link(0) };
            assert_eq!(Link::from_key(&one.key()), Some(one));
            assert_eq!(Link::at_spot(one.message, one.spot()), one);
        }
        assert_eq!(Link::from_key(&[0; 13]), None);
    }

    #[test]
    fn a_key_is_message_card_and_button() {
        let one = Link { message: Id::from_bytes([7; 12]), card: Some(1), button: Some(2) };
        assert_eq!(one.key(), [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 2]);
        assert_eq!(one.spot(), 0x0102);
        assert_eq!(Link { card: None, button: None, ..one }.spot(), 0xffff);
        assert_eq!(Link::at_spot(one.message, 0xff03), Link { card: None, button: Some(3), ..one });
        assert_eq!(
            Link::at_spot(one.message, -1),
            Link { card: None, button: None, ..one },
            "what is no spot names none"
        );
        assert_eq!((Link::from_key(&[0; 15]), Link::from_key(&[])), (None, None));
    }
}
