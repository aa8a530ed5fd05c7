//! Values that do not fit their template, and the problem of each.

use domain::messaging::templates::{Content, NewButton, NewOffer, NewTemplate};
use domain::people::contacts::CustomParam;

use crate::templates::TRACKED;
use crate::templates::bad::{base, button, card, carousel, file, params, some, url};

fn content(change: fn(&mut NewTemplate)) -> Content {
    let mut new = base();
    change(&mut new);
    new.checked(Some(TRACKED)).unwrap().content
}

fn plain(_: &mut NewTemplate) {}

fn numbered(new: &mut NewTemplate) {
    new.body = some("Hi {{1}}, your order {{2}} is on its way.");
    new.buttons = vec![url("Track it", "https://shop.example/orders/{{1}}")];
    new.samples = params(&[("1", "Ada"), ("2", "17"), ("button_0", "17")]);
}

fn picture(new: &mut NewTemplate) {
    new.header = Some(file("image", "{{picture}}"));
    new.samples.extend(params(&[("picture", "https://shop.example/a.jpg")]));
}

fn place(new: &mut NewTemplate) {
    new.header = Some(file("location", ""));
}

fn coupon(new: &mut NewTemplate) {
    new.buttons[2] = NewButton { copy_offer_code: some("{{code}}"), ..button("copy_code", "Copy") };
    new.samples[1] = CustomParam { name: "code".to_owned(), value: "SUMMER".to_owned() };
}

fn sale(new: &mut NewTemplate) {
    new.header = None;
    new.footer = None;
    new.offer = Some(NewOffer { text: "Sale".to_owned(), has_expiration: true });
}

fn headline(new: &mut NewTemplate) {
    new.header = Some(domain::messaging::templates::NewHeader {
        kind: "text".into(),
        text: some("For {{name}}"),
        ..Default::default()
    });
}

fn cards(new: &mut NewTemplate) {
    carousel(new);
    new.body = some("Look, {{1}}, what is new.");
    new.cards = (0..2)
        .map(|n| {
            let mut card = card(n);
            card.body = some("Only {{1}} left today");
            card.buttons[1] = url("Buy", "https://shop.example/buy?id={{1}}");
            card
        })
        .collect();
    let names = ["1", "card_0_1", "card_0_button_1", "card_1_1", "card_1_button_1"];
    new.samples = params(&names.map(|name| (name, "3")));
}

type Row = (fn(&mut NewTemplate), &'static [(&'static str, &'static str)], &'static str, &'static str);

#[rustfmt::skip]
const BAD: &[Row] = &[
    (plain, &[], "custom_params", "no value for \"name\", \"order_id\""),
    (plain, &[("name", "Ada")], "custom_params", "no value for \"order_id\""),
    (plain, &[("name", "Ada"), ("order", "17")], "custom_params", "no value for \"order_id\""),
    (plain, &[("name", "Ada"), ("order_id", "17"), ("name", "Bob")], "custom_params[2].name", "\"name\" appears twice"),
    (plain, &[("name", "Ada"), ("", "17")], "custom_params[1].name", "is empty, but other parameters have names"),
    (plain, &[("name", ""), ("order_id", "17")], "custom_params[0].value", "is empty"),
    (plain, &[("name", "  "), ("order_id", "17")], "custom_params[0].value", "is empty"),
    (plain, &[("name", "Ada"), ("order_id", "")], "custom_params[1].value", "is empty"),
    (plain, &[("name", "Ada\nLovelace"), ("order_id", "17")], "custom_params[0].value", "must not contain line breaks or tabs"),
    (plain, &[("name", "Ada\tLovelace"), ("order_id", "17")], "custom_params[0].value", "must not contain line breaks or tabs"),
    (plain, &[("name", "Ada     Lovelace"), ("order_id", "17")], "custom_params[0].value", "must not contain more than 4 spaces in a row"),
    (plain, &[("name", "Ada\u{7}"), ("order_id", "17")], "custom_params[0].value", "must not contain control characters"),
    (plain, &[("name", "Ada"), ("order_id", "1\n7")], "custom_params[1].value", "must not contain line breaks or tabs"),
    (plain, &[("", "Ada")], "custom_params", "no value for \"order_id\""),
    (plain, &[("", "Ada"), ("", "")], "custom_params[1].value", "is empty"),
    (numbered, &[("1", "Ada"), ("2", "17")], "custom_params", "no value for \"button_0\""),
    (numbered, &[("1", "Ada"), ("3", "17")], "custom_params", "no value for \"2\", \"button_0\""),
    (numbered, &[("name", "Ada")], "custom_params", "no value for \"1\", \"2\", \"button_0\""),
    (numbered, &[("{{1}}", "Ada"), ("1", "Bob")], "custom_params[1].name", "\"1\" appears twice"),
    (picture, &[("name", "Ada"), ("order_id", "17")], "custom_params", "no value for \"picture\""),
    (picture, &[("name", "Ada"), ("order_id", "17"), ("picture", "a.jpg")], "custom_params[2].value", "expected a URL that begins with https:// or http://"),
    (picture, &[("name", "Ada"), ("order_id", "17"), ("picture", "ftp://shop.example/a.jpg")], "custom_params[2].value", "expected a URL that begins with https:// or http://"),
    (picture, &[("name", "Ada"), ("order_id", "17"), ("picture", "https://shop.example/a b.jpg")], "custom_params[2].value", "contains a character that is not allowed in a URL; write it as %XX"),
    (picture, &[("name", "Ada"), ("order_id", "17"), ("header_link", "https://shop.example/a.jpg")], "custom_params", "no value for \"picture\""),
    (place, &[("name", "Ada"), ("order_id", "17")], "custom_params", "no value for \"header_latitude\", \"header_longitude\""),
    (place, &[("name", "Ada"), ("order_id", "17"), ("header_latitude", "north"), ("header_longitude", "7")], "custom_params[2].value", "expected degrees from -90 to 90"),
    (place, &[("name", "Ada"), ("order_id", "17"), ("header_latitude", "91"), ("header_longitude", "7")], "custom_params[2].value", "expected degrees from -90 to 90"),
    (place, &[("name", "Ada"), ("order_id", "17"), ("header_latitude", "7"), ("header_longitude", "-181")], "custom_params[3].value", "expected degrees from -180 to 180"),
    (place, &[("name", "Ada"), ("order_id", "17"), ("header_latitude", "NaN"), ("header_longitude", "7")], "custom_params[2].value", "expected degrees from -90 to 90"),
    (coupon, &[("name", "Ada")], "custom_params", "no value for \"code\""),
    (coupon, &[("name", "Ada"), ("code", "A-CODE-TOO-LONG-")], "custom_params[1].value", "16 characters, at most 15"),
    (coupon, &[("name", "Ada"), ("copy_code", "SUMMER")], "custom_params", "no value for \"code\""),
    (sale, &[("name", "Ada"), ("order_id", "17")], "custom_params", "no value for \"expiration_time_ms\""),
    (sale, &[("name", "Ada"), ("order_id", "17"), ("expiration_time_ms", "tomorrow")], "custom_params[2].value", "expected milliseconds since 1970"),
    (sale, &[("name", "Ada"), ("order_id", "17"), ("expiration_time_ms", "-1")], "custom_params[2].value", "expected milliseconds since 1970"),
    (headline, &[("name", "A name that is by far too long for the sixty letters of it all"), ("order_id", "17")], "custom_params[0].value", "the filled-in header has 66 characters, at most 60"),
    (cards, &[("1", "Ada")], "custom_params", "no value for \"card_0_1\", \"card_0_button_1\", \"card_1_1\", \"card_1_button_1\""),
    (cards, &[("1", "Ada"), ("card_0_1", "3"), ("card_0_button_1", "7"), ("card_1_1", "a\nb"), ("card_1_button_1", "8")], "custom_params[3].value", "must not contain line breaks or tabs"),
    (cards, &[("1", "Ada"), ("card_2_1", "3")], "custom_params", "no value for \"card_0_1\", \"card_0_button_1\", \"card_1_1\", \"card_1_button_1\""),
];

#[test]
fn every_bad_value_is_refused_at_its_member() {
    for (number, (change, values, path, message)) in BAD.iter().enumerate() {
        let problem = content(*change).fill(&params(values)).expect_err(&format!("row {number}: {path}: {message}"));
        assert_eq!((problem.place.to_string().as_str(), problem.message.as_str()), (*path, *message), "row {number}");
    }
    assert!(BAD.len() >= 38, "{}", BAD.len());
}

#[test]
fn values_that_the_template_does_not_use_are_ignored() {
    let filled = |values: &[(&str, &str)]| content(plain).fill(&params(values)).unwrap();
    let needed = filled(&[("name", "Ada"), ("order_id", "17")]);
    assert_eq!(filled(&[("city", "Bern"), ("name", "Ada"), ("order_id", "17"), ("city", "")]), needed);
    assert_eq!(filled(&[("", "Ada"), ("", "17"), ("", "x")]), needed);
}

#[test]
fn texts_that_grow_too_long_are_refused() {
    let body = content(|new| new.body = some(&format!("Hi {{{{name}}}}, {}", "x".repeat(1000))));
    let problem = body.fill(&params(&[("name", &"y".repeat(30)), ("order_id", "17")])).unwrap_err();
    assert_eq!(problem.to_string(), "custom_params: the filled-in body has 1035 characters, at most 1024");
    let problem = content(plain).fill(&params(&[("name", "Ada"), ("order_id", &"ä".repeat(400))])).unwrap_err();
    assert_eq!(problem.to_string(), "custom_params[1].value: the filled-in URL has 2428 characters, at most 2000");
    let many: Vec<CustomParam> = (0..201).map(|n| CustomParam { name: n.to_string(), value: "x".to_owned() }).collect();
    assert_eq!(content(plain).fill(&many).unwrap_err().to_string(), "custom_params: 201 entries, at most 200");
}

#[test]
fn a_template_with_an_unknown_part_is_not_filled() {
    let mut foreign = content(plain);
    foreign.unknown = some("a button of type MPM");
    let problem = foreign.fill(&params(&[("name", "Ada"), ("order_id", "17")])).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "template_name: the template has a button of type MPM, which cannot be sent from here"
    );
}
