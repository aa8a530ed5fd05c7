//! Valid templates filled with valid values.

use domain::messaging::templates::{
    ButtonValue, FilledHeader, FilledValue, MediaKind, NewButton, NewTemplate, Template, TemplateStatus,
};
use domain::{Id, Timestamp};

use crate::templates::TRACKED;
use crate::templates::bad::{base, button, card, carousel, file, params, phone, some, url};

fn filled(new: &NewTemplate, values: &[(&str, &str)]) -> domain::messaging::templates::Filled {
    let content = new.checked(Some(TRACKED)).unwrap().content;
    // As read from the database.
    let text = serde_json::to_string(&content).unwrap();
    assert_eq!(serde_json::from_str::<domain::messaging::templates::Content>(&text).unwrap(), content);
    content.fill(&params(values)).unwrap()
}

fn given(name: Option<&str>, value: &str) -> FilledValue {
    FilledValue { name: name.map(str::to_owned), value: value.to_owned() }
}

#[test]
fn names_are_filled_in_everywhere() {
    let shown = filled(&base(), &[("order_id", "17/a b?x=1"), ("name", "Ada")]);
    assert_eq!(shown.text, "Hi Ada, your order is on its way.");
    assert_eq!((shown.header_kind, shown.header_text.as_deref()), (Some("text"), Some("News for you")));
    assert_eq!(shown.footer.as_deref(), Some("Reply STOP to opt out"));
    assert_eq!(shown.part.body, [given(Some("name"), "Ada")]);
    assert_eq!(shown.part.header, None);
    let suffix = "17/a%20b%3Fx%3D1".to_owned();
    assert_eq!(shown.buttons[2].url.as_deref(), Some("https://shop.example/orders/17/a%20b%3Fx%3D1"));
    assert_eq!(shown.part.buttons, [(2, ButtonValue::Url(Some(suffix)))]);
    let kinds: Vec<_> = shown.buttons.iter().map(|one| (one.index, one.card, one.kind)).collect();
    assert_eq!(kinds, [(0, None, "quick_reply"), (1, None, "quick_reply"), (2, None, "url")]);
}

#[test]
fn values_without_names_are_assigned_in_order() {
    let shown = filled(&base(), &[("", "Ada"), ("", "17")]);
    assert_eq!(shown.text, "Hi Ada, your order is on its way.");
    assert_eq!(shown.buttons[2].url.as_deref(), Some("https://shop.example/orders/17"));
}

#[test]
fn numbers_go_to_the_network_by_size() {
    let mut new = base();
    new.body = some("Hi {{ 2 }}, order {{1}} is here, {{2}}.");
    new.header = Some(domain::messaging::templates::NewHeader {
        kind: "TEXT".into(),
        text: some("For {{1}}"),
        ..Default::default()
    });
    new.buttons = vec![url("Go", "https://shop.example/?q={{1}}"), phone("+1 415 555 2671")];
    new.samples = params(&[("1", "a"), ("2", "b"), ("header_1", "c"), ("button_0", "d")]);
    let shown = filled(&new, &[("2", "Ada"), ("1", "17"), ("header_1", "you"), ("button_0", "x&y")]);
    assert_eq!(shown.text, "Hi Ada, order 17 is here, Ada.");
    assert_eq!(shown.header_text.as_deref(), Some("For you"));
    assert_eq!(shown.part.header, Some(FilledHeader::Text(given(None, "you"))));
    assert_eq!(shown.part.body, [given(None, "17"), given(None, "Ada")]);
    assert_eq!(shown.buttons[0].url.as_deref(), Some("https://shop.example/?q=x%26y"));
    assert_eq!(shown.buttons[1].phone_number.as_deref(), Some("14155552671"));
}

#[test]
fn a_name_may_be_chosen_for_a_number_of_a_link() {
    let mut new = base();
    new.buttons[2] = NewButton { parameter: some("order_id"), ..url("Go", "https://shop.example/{{1}}") };
    let shown = filled(&new, &[("name", "Ada"), ("order_id", "17")]);
    assert_eq!(shown.buttons[2].url.as_deref(), Some("https://shop.example/17"));
}

#[test]
fn a_file_comes_with_the_message_or_from_the_template() {
    let mut new = base();
    new.header = Some(file("Document", "https://shop.example/Price%20list.pdf"));
    let values = [("name", "Ada"), ("order_id", "17")];
    let shown = filled(&new, &values);
    let link = "https://shop.example/Price%20list.pdf".to_owned();
    let file_name = some("Price list.pdf");
    assert_eq!(shown.header_link.as_ref(), Some(&link));
    assert_eq!(shown.part.header, Some(FilledHeader::Media { kind: MediaKind::Document, link, file_name }));
    let own = [values[0], values[1], ("header_link", "https://shop.example/own.pdf")];
    assert_eq!(filled(&new, &own).header_link.as_deref(), Some("https://shop.example/own.pdf"));
}

#[test]
fn a_code_is_copied_and_a_location_is_shown() {
    let mut new = base();
    new.header = Some(file("location", ""));
    new.buttons = vec![NewButton { copy_offer_code: some("SUMMER"), ..button("COPY_CODE", "") }];
    new.samples.pop();
    let values = [("name", "Ada"), ("header_latitude", "46.95"), ("header_longitude", "7.45"), ("header_name", "Bern")];
    let shown = filled(&new, &values);
    assert_eq!(shown.buttons[0].code.as_deref(), Some("SUMMER"));
    let Some(FilledHeader::Location(place)) = shown.part.header else { unreachable!("{shown:?}") };
    assert!((place.latitude - 46.95).abs() < 1e-9 && place.name.as_deref() == Some("Bern"));
    let own = [values[0], values[1], values[2], ("copy_code", "WINTER")];
    assert_eq!(filled(&new, &own).part.buttons, [(0, ButtonValue::Code("WINTER".to_owned()))]);
}

#[test]
fn a_one_time_password_is_copied_by_its_button() {
    let new = NewTemplate {
        name: "code".to_owned(),
        category: "authentication".to_owned(),
        language: "en-us".to_owned(),
        body: some("Your code is {{otp}}"),
        security_recommendation: true,
        code_expiration_minutes: Some(5),
        ..NewTemplate::default()
    };
    let shown = filled(&new, &[("otp", "123456")]);
    assert_eq!(shown.text, "*123456* is your verification code. For your security, do not share this code.");
    assert_eq!(shown.footer.as_deref(), Some("This code expires in 5 minutes."));
    assert_eq!(shown.part.body, [given(None, "123456")], "the network numbers the code");
    assert_eq!(shown.part.buttons, [(0, ButtonValue::Otp("123456".to_owned()))]);
}

#[test]
fn cards_have_values_of_their_own() {
    let mut new = base();
    carousel(&mut new);
    new.body = some("Look, {{1}}, what is new.");
    new.cards = vec![card(0), card(1)];
    for card in &mut new.cards {
        card.body = some("Only {{1}} left today");
        card.buttons[1] = url("Buy", "https://shop.example/{{1}}");
    }
    let values =
        [("1", "Ada"), ("card_0_1", "3"), ("card_1_1", "4"), ("card_0_button_1", "a"), ("card_1_button_1", "b")];
    new.samples = params(&values);
    let shown = filled(&new, &values);
    assert_eq!(shown.text, "Look, Ada, what is new.\nOnly 3 left today\nOnly 4 left today");
    assert_eq!(shown.cards.len(), 2);
    assert_eq!(shown.cards[1].buttons, [(1, ButtonValue::Url(Some("b".to_owned())))]);
    let last = shown.buttons.last().unwrap();
    assert_eq!((last.card, last.index, last.url.as_deref()), (Some(1), 1, Some("https://shop.example/b")));
}

fn template() -> Template {
    let now = Timestamp::from_seconds(1_776_000_000);
    let checked = base().checked(None).unwrap();
    Template {
        id: Id::seeded(now, 1),
        account_id: "1".to_owned(),
        channel_id: Id::seeded(now, 2),
        name: checked.name,
        language: checked.language,
        category: checked.category,
        status: TemplateStatus::Pending,
        quality: None,
        reason: None,
        network_id: None,
        content: checked.content,
        origin: "API".to_owned(),
        created_at: now,
        updated_at: now,
        reported_at: Timestamp::from_micros(0),
        deleted_at: None,
    }
}

#[test]
fn verdicts_in_any_order_end_in_the_same_state() {
    let at = Timestamp::from_seconds;
    let verdicts = [
        (TemplateStatus::Approved, at(10)),
        (TemplateStatus::Paused, at(20)),
        (TemplateStatus::Approved, at(20)),
        (TemplateStatus::Pending, at(5)),
    ];
    for turn in 0..24_usize {
        let mut left: Vec<_> = verdicts.to_vec();
        let mut one = template();
        let mut number = turn;
        while !left.is_empty() {
            let (status, at) = left.remove(number % left.len());
            number /= left.len() + 1;
            one.apply_verdict(status, None, at);
        }
        assert_eq!((one.status, one.reported_at), (TemplateStatus::Paused, at(20)), "{turn}");
    }
}
