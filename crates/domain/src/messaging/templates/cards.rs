//! Checks the cards of a carousel, which must all have the same form.

use super::buttons::Buttons;
use super::content::{Button, Card, MediaKind};
use super::media_checks::checked_media;
use super::naming::{Naming, card_header};
use super::new::{NewCard, present};
use super::problem::{CheckResult, MemberProblem};
use super::text_checks::checked_body;
use crate::Field;

const MAX_BODY: usize = 160;
const MAX_CARDS: usize = 10;
const CARDS: Field = Field::CarouselCards;

pub(super) fn checked(new: &[NewCard]) -> CheckResult<Vec<Card>> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    if !(2..=MAX_CARDS).contains(&new.len()) {
        return Err(MemberProblem::new(CARDS, format!("{} cards, expected 2 to {MAX_CARDS}", new.len())));
    }
    let mut cards: Vec<Card> = Vec::with_capacity(new.len());
    for (index, card) in new.iter().enumerate() {
        let card = checked_card(index, card)?;
        if let Some(first) = cards.first() {
            alike(first, &card).map_err(|problem| problem.within(CARDS.at(index)))?;
        }
        cards.push(card);
    }
    Ok(cards)
}

/// The first problem of each card.
pub(super) fn problems(new: &[NewCard]) -> Vec<MemberProblem> {
    new.iter().enumerate().take(MAX_CARDS).filter_map(|(index, card)| checked_card(index, card).err()).collect()
}

fn checked_card(index: usize, new: &NewCard) -> CheckResult<Card> {
    let path = |member: Field| CARDS.at(index).member(member);
    let header = new.header.as_ref().ok_or_else(|| MemberProblem::new(path(Field::Header), "is missing"))?;
    let header = checked_media(&path(Field::Header), header, card_header(index))?;
    if header.kind == MediaKind::Document {
        return Err(MemberProblem::new(
            path(Field::Header).member(Field::Type),
            "\"document\": a card needs an image or a video",
        ));
    }
    let body = present(new.body.as_ref()).map(|body| checked_body(&path(Field::Body), body, MAX_BODY)).transpose()?;
    if new.buttons.is_empty() {
        return Err(MemberProblem::new(path(Field::Buttons), "a card needs 1 or 2 buttons"));
    }
    let mut naming = Naming::new("");
    let buttons = Buttons { most: 2, card: Some(index) }.checked(&new.buttons, &mut naming)?;
    Ok(Card { header, body, buttons })
}

fn alike(first: &Card, card: &Card) -> CheckResult {
    if first.header.kind != card.header.kind {
        let message = format!("{:?}, but the first card has {:?}", card.header.kind.name(), first.header.kind.name());
        return Err(MemberProblem::new(Field::Header.member(Field::Type), message));
    }
    if first.body.is_some() != card.body.is_some() {
        return Err(MemberProblem::new(Field::Body, "either all cards have a body or none has"));
    }
    let kinds = |buttons: &[Button]| buttons.iter().map(|button| button.action.kind()).collect::<Vec<_>>();
    let (kinds, firsts) = (kinds(&card.buttons), kinds(&first.buttons));
    if kinds != firsts {
        let message = format!("{}, but the first card has {}", kinds.join(", "), firsts.join(", "));
        return Err(MemberProblem::new(Field::Buttons, message));
    }
    Ok(())
}
