//! Refused templates: how each differs from a valid one, and its problem. The API's tests send the same table.

use domain::messaging::templates::{NewButton, NewCard, NewHeader, NewOffer, NewTemplate};
use domain::people::contacts::CustomParam;

pub type Row = (fn(&mut NewTemplate), &'static str, &'static str);

#[expect(clippy::unnecessary_wraps, reason = "members are optional")]
pub fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub fn params(pairs: &[(&str, &str)]) -> Vec<CustomParam> {
    pairs.iter().map(|(name, value)| CustomParam { name: (*name).to_owned(), value: (*value).to_owned() }).collect()
}

pub fn button(kind: &str, text: &str) -> NewButton {
    NewButton { kind: kind.to_owned(), text: some(text), ..NewButton::default() }
}

pub fn url(text: &str, url: &str) -> NewButton {
    NewButton { url: some(url), ..button("url", text) }
}

pub fn phone(number: &str) -> NewButton {
    NewButton { phone_number: some(number), ..button("phone_number", "Call us") }
}

fn code(code: &str) -> NewButton {
    NewButton { copy_offer_code: some(code), ..button("copy_code", "Copy") }
}

fn flow(id: &str, action: &str) -> NewButton {
    NewButton { flow_id: some(id), flow_action: some(action), ..button("flow", "Begin") }
}

pub fn file(kind: &str, link: &str) -> NewHeader {
    NewHeader { kind: kind.to_owned(), link: some(link), ..NewHeader::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "members are optional")]
fn headline(text: &str) -> Option<NewHeader> {
    Some(NewHeader { kind: "text".to_owned(), text: some(text), ..NewHeader::default() })
}

pub fn card(n: usize) -> NewCard {
    NewCard {
        header: Some(file("image", &format!("https://shop.example/{n}.jpg"))),
        body: some("Fresh today"),
        buttons: vec![button("quick_reply", "More"), url("Buy", "https://shop.example/buy")],
    }
}

/// A carousel: no parts beside body and cards.
pub fn carousel(new: &mut NewTemplate) {
    new.header = None;
    new.footer = None;
    new.buttons.clear();
    new.cards = vec![card(0), card(1)];
    new.samples = params(&[("name", "Ada")]);
}

fn password(new: &mut NewTemplate) {
    *new = NewTemplate {
        name: "code".to_owned(),
        category: "AUTHENTICATION".to_owned(),
        language: "en".to_owned(),
        ..NewTemplate::default()
    };
}

fn offer(new: &mut NewTemplate) {
    new.footer = None;
    new.header = None;
    new.offer = Some(NewOffer { text: "Summer sale".to_owned(), has_expiration: true });
}

pub fn base() -> NewTemplate {
    NewTemplate {
        name: "order_update".to_owned(),
        category: "MARKETING".to_owned(),
        language: "en_US".to_owned(),
        header: headline("News for you"),
        body: some("Hi {{name}}, your order is on its way."),
        footer: some("Reply STOP to opt out"),
        buttons: vec![
            button("quick_reply", "Thanks"),
            button("quick_reply", "Stop"),
            url("Track it", "https://shop.example/orders/{{order_id}}"),
        ],
        samples: params(&[("name", "Ada"), ("order_id", "17")]),
        ..NewTemplate::default()
    }
}

fn set_body(new: &mut NewTemplate, body: &str) {
    new.body = some(body);
}

#[rustfmt::skip]
pub const BAD: &[Row] = &[
    // Name, category, language.
    (|t| t.name.clear(), "name", "is empty"),
    (|t| "  ".clone_into(&mut t.name), "name", "is empty"),
    (|t| t.name = "x".repeat(513), "name", "513 characters, at most 512"),
    (|t| "Order_Update".clone_into(&mut t.name), "name", "expected lower-case letters, digits and _"),
    (|t| "order update".clone_into(&mut t.name), "name", "expected lower-case letters, digits and _"),
    (|t| "order-update".clone_into(&mut t.name), "name", "expected lower-case letters, digits and _"),
    (|t| "grüße".clone_into(&mut t.name), "name", "expected lower-case letters, digits and _"),
    (|t| t.category.clear(), "category", "expected MARKETING, UTILITY or AUTHENTICATION"),
    (|t| "TRANSACTIONAL".clone_into(&mut t.category), "category", "expected MARKETING, UTILITY or AUTHENTICATION"),
    (|t| t.language.clear(), "language", "the network does not support the language \"\""),
    (|t| "english".clone_into(&mut t.language), "language", "the network does not support the language \"english\""),
    (|t| "en_XX".clone_into(&mut t.language), "language", "the network does not support the language \"en_XX\""),
    (|t| t.sub_category = some(&"x".repeat(65)), "sub_category", "65 characters, at most 64"),
    (|t| t.sub_category = some("a\nb"), "sub_category", "must not contain line breaks"),
    // Body.
    (|t| t.body = None, "body", "is missing"),
    (|t| set_body(t, " \n "), "body", "is missing"),
    (|t| set_body(t, &"x".repeat(1025)), "body", "1025 characters, at most 1024"),
    (|t| set_body(t, "{{name}}, your order is on its way."), "body", "must not begin with a variable"),
    (|t| set_body(t, " {{name}}, your order is on its way."), "body", "must not begin with a variable"),
    (|t| set_body(t, "Your order is on its way, {{name}}"), "body", "must not end with a variable"),
    (|t| set_body(t, "Your order is on its way, {{name}} \n"), "body", "must not end with a variable"),
    (|t| set_body(t, "Your order {{name}}{{order_id}} is on its way."), "body", "has two variables side by side"),
    (|t| set_body(t, "Your order {{name}} {{order_id}} is on its way."), "body", "has two variables side by side"),
    (|t| set_body(t, "Hi {{name}}, {{order_id}}, {{x}}!"), "body", "3 variables for 1 words: too many for its length"),
    (|t| set_body(t, "Hi {{name, all is well."), "body", "{{ without }} after it"),
    (|t| set_body(t, "Hi name}}, all is well."), "body", "}} without {{ before it"),
    (|t| set_body(t, "Hi {{Name}}, all is well."), "body", "{{Name}} is not a variable: use a number, or lower-case letters, digits and _"),
    (|t| set_body(t, "Hi {{first name}}, all is well."), "body", "{{first name}} is not a variable: use a number, or lower-case letters, digits and _"),
    (|t| set_body(t, "Hi {{}}, all is well."), "body", "{{}} is not a variable: use a number, or lower-case letters, digits and _"),
    (|t| set_body(t, "Hi {{1st}}, all is well."), "body", "{{1st}} is not a variable: use a number, or lower-case letters, digits and _"),
    (|t| set_body(t, "Hi {{1}}, all is {{mood}} today."), "body", "mixes numbered and named variables; use only one kind"),
    (|t| set_body(t, "Hi {{2}}, all is well."), "body", "numbered variables must start at {{1}} and have no gaps"),
    (|t| set_body(t, "Hi {{1}}, all is {{3}} today."), "body", "numbered variables must start at {{1}} and have no gaps"),
    (|t| set_body(t, "Hi {{0}}, all is well."), "body", "numbered variables must start at {{1}} and have no gaps"),
    (|t| set_body(t, "Hi {{name}}, all\tis well."), "body", "must not contain control characters"),
    // Header.
    (|t| t.header = headline(""), "header.text", "is missing"),
    (|t| t.header = headline(&"x".repeat(61)), "header.text", "61 characters, at most 60"),
    (|t| t.header = headline("Order {{name}} of {{order_id}}"), "header.text", "2 variables, at most 1"),
    (|t| t.header = headline("Two\nlines"), "header.text", "must not contain line breaks"),
    (|t| t.header = headline("Order {{2}} now"), "header.text", "numbered variables must start at {{1}} and have no gaps"),
    (|t| t.header = headline("Order {{1}} now"), "header.text", "must use the same kind of variables as the other texts: names or numbers"),
    (|t| t.header = headline("Order {{ now"), "header.text", "{{ without }} after it"),
    (|t| t.header = Some(file("audio", "https://shop.example/a.mp3")), "header.type", "\"audio\": expected text, image, video, document, location or none"),
    (|t| t.header = Some(file("image", "")), "header.link", "is missing: give a sample URL, a variable, or the media_header_id of an uploaded file"),
    (|t| t.header = Some(file("image", "shop.example/a.jpg")), "header.link", "expected a URL that begins with https:// or http://"),
    (|t| t.header = Some(file("video", "ftp://shop.example/a.mp4")), "header.link", "expected a URL that begins with https:// or http://"),
    (|t| t.header = Some(file("document", "https://shop.example/{{order_id}}.pdf")), "header.link", "expected a URL, or a single named variable"),
    (|t| t.header = Some(file("image", "{{1}}")), "header.link", "expected a URL, or a single named variable"),
    (|t| t.header = Some(file("image", "https://shop.example/a b.jpg")), "header.link", "contains a character that is not allowed in a URL; write it as %XX"),
    (|t| t.header = Some(file("image", "{{picture}}")), "custom_params", "no sample for \"picture\""),
    (|t| { t.header = Some(file("image", "{{picture}}")); t.samples.extend(params(&[("picture", "a.jpg")])); }, "custom_params[2].value", "expected a URL that begins with https:// or http://"),
    // Footer.
    (|t| t.footer = some(&"x".repeat(61)), "footer", "61 characters, at most 60"),
    (|t| t.footer = some("Yours, {{name}}"), "footer", "must not contain variables"),
    (|t| t.footer = some("Two\nlines"), "footer", "must not contain line breaks"),
    // Buttons: kinds, texts, counts, order.
    (|t| t.buttons[2].text = some("Follow your order there"), "buttons[2].parameter.text", "23 characters, at most 20"),
    (|t| t.buttons[0].text = None, "buttons[0].parameter.text", "is missing"),
    (|t| t.buttons[1].text = some("  "), "buttons[1].parameter.text", "is missing"),
    (|t| t.buttons[0].text = some("Hi {{name}}"), "buttons[0].parameter.text", "must not contain variables"),
    (|t| t.buttons[0].text = some("a {b}"), "buttons[0].parameter.text", "must not contain braces"),
    (|t| t.buttons[0].text = some("a\nb"), "buttons[0].parameter.text", "must not contain line breaks"),
    (|t| t.buttons[1].text = some("Thanks"), "buttons[1].parameter.text", "\"Thanks\" appears twice"),
    (|t| "link".clone_into(&mut t.buttons[0].kind), "buttons[0].type", "\"link\": expected quick_reply, url, phone_number, copy_code, flow, catalog, voice_call or order_details"),
    (|t| t.buttons[0].kind.clear(), "buttons[0].type", "\"\": expected quick_reply, url, phone_number, copy_code, flow, catalog, voice_call or order_details"),
    (|t| "otp".clone_into(&mut t.buttons[0].kind), "buttons[0].type", "otp is only allowed in category AUTHENTICATION"),
    (|t| t.buttons = (0..11).map(|n| button("quick_reply", &n.to_string())).collect(), "buttons", "11 buttons, at most 10"),
    (|t| t.buttons = (0..3).map(|n| url(&n.to_string(), "https://shop.example/")).collect(), "buttons[2].type", "3 buttons of type url, at most 2"),
    (|t| t.buttons = vec![phone("+14155552671"), phone("+14155552672")], "buttons[1].type", "2 buttons of type phone_number, at most 1"),
    (|t| t.buttons = vec![code("A"), code("B")], "buttons[1].type", "2 buttons of type copy_code, at most 1"),
    (|t| t.buttons = vec![flow("1", "navigate"), flow("2", "navigate")], "buttons[1].type", "2 buttons of type flow, at most 1"),
    (|t| t.buttons.push(button("quick_reply", "Later")), "buttons", "quick replies must be together, before or after all other buttons"),
    (|t| t.buttons = vec![button("catalog", "View"), button("quick_reply", "No")], "buttons", "a catalog button must be the only button"),
    // Buttons: URLs.
    (|t| t.buttons[2].url = None, "buttons[2].parameter.url", "is missing"),
    (|t| t.buttons[2].url = some("shop.example"), "buttons[2].parameter.url", "expected a URL that begins with https:// or http://"),
    (|t| t.buttons[2].url = some("javascript:alert(1)"), "buttons[2].parameter.url", "expected a URL that begins with https:// or http://"),
    (|t| t.buttons[2].url = some("https:///{{order_id}}"), "buttons[2].parameter.url", "expected a URL that begins with https:// or http://"),
    (|t| t.buttons[2].url = some("https://{{order_id}}"), "buttons[2].parameter.url", "expected a URL that begins with https:// or http://"),
    (|t| t.buttons[2].url = some("https://shop.example{{order_id}}"), "buttons[2].parameter.url", "the host must be fixed: put the variable after a /"),
    (|t| t.buttons[2].url = some("https://ada:secret@shop.example/{{order_id}}"), "buttons[2].parameter.url", "the URL must not contain a user name or password"),
    (|t| t.buttons[2].url = some("https://shop.example/{{order_id}}/track"), "buttons[2].parameter.url", "the variable must be at the end"),
    (|t| t.buttons[2].url = some("https://shop.example/{{order_id}}/{{name}}"), "buttons[2].parameter.url", "may have at most one variable"),
    (|t| t.buttons[2].url = some("https://shop.example/{{2}}"), "buttons[2].parameter.url", "the variable must be {{1}} or have a name"),
    (|t| t.buttons[2].url = some("https://shop.example/{{Order}}"), "buttons[2].parameter.url", "{{Order}} is not a variable: use a number, or lower-case letters, digits and _"),
    (|t| t.buttons[2].url = some("https://shop.example/größe/{{order_id}}"), "buttons[2].parameter.url", "contains a character that is not allowed in a URL; write it as %XX"),
    (|t| t.buttons[2].url = Some(format!("https://shop.example/{}", "x".repeat(2000))), "buttons[2].parameter.url", "2021 characters, at most 2000"),
    (|t| t.buttons[2].url_type = some("static"), "buttons[2].parameter.url_type", "static, but the URL has a variable"),
    (|t| t.buttons[2].url_type = some("moving"), "buttons[2].parameter.url_type", "\"moving\": expected static, dynamic or none"),
    (|t| t.buttons[2] = NewButton { url_type: some("dynamic"), ..url("Shop", "https://shop.example/") }, "buttons[2].parameter.url_type", "dynamic, but the URL has no variable"),
    (|t| t.buttons[2].parameter = some("ref"), "custom_params[1].name", "the template has no variable \"order_id\""),
    // Buttons: numbers, codes, flows.
    (|t| t.buttons[2] = phone(""), "buttons[2].parameter.phone_number", "is missing"),
    (|t| t.buttons[2] = code("A-CODE-TOO-LONG-"), "buttons[2].parameter.copy_offer_code", "16 characters, at most 15"),
    (|t| t.buttons[2] = code("X{{code}}"), "buttons[2].parameter.copy_offer_code", "expected a code, or a single named variable"),
    (|t| { t.buttons[2] = code("{{code}}"); t.samples.pop(); }, "custom_params", "no sample for \"code\""),
    (|t| { t.buttons[2] = code("{{code}}"); t.samples[1] = params(&[("code", "A-CODE-TOO-LONG-")]).remove(0); }, "custom_params[1].value", "16 characters, at most 15"),
    (|t| t.buttons[2] = flow("", "navigate"), "buttons[2].parameter.flow_id", "is missing"),
    (|t| t.buttons[2] = flow("abc", "navigate"), "buttons[2].parameter.flow_id", "expected 1 to 32 digits, as the network shows it"),
    (|t| t.buttons[2] = flow("12", "jump"), "buttons[2].parameter.flow_action", "expected navigate or data_exchange"),
    // The type of the buttons.
    (|t| t.buttons_type = some("buttons"), "buttons_type", "\"buttons\": expected none, quick_reply, call_to_action, quick_reply_and_call_to_action"),
    (|t| t.buttons_type = some("NONE"), "buttons_type", "none, but the buttons are quick_reply_and_call_to_action"),
    (|t| { t.buttons.pop(); t.samples.pop(); t.buttons_type = some("call_to_action"); }, "buttons_type", "call_to_action, but the buttons are quick_reply"),
    // Samples.
    (|t| t.samples.clear(), "custom_params", "no sample for \"name\""),
    (|t| { t.samples.pop(); }, "custom_params", "no sample for \"order_id\""),
    (|t| t.samples.extend(params(&[("city", "Bern")])), "custom_params[2].name", "the template has no variable \"city\""),
    (|t| t.samples.extend(params(&[("name", "Bob")])), "custom_params[2].name", "\"name\" appears twice"),
    (|t| t.samples[0].value.clear(), "custom_params[0].value", "is empty"),
    (|t| t.samples[0].value = "x".repeat(1025), "custom_params[0].value", "1025 characters, at most 1024"),
    (|t| "a\nb".clone_into(&mut t.samples[0].value), "custom_params[0].value", "must not contain line breaks"),
    (|t| t.samples = params(&[("n", "v"); 201]), "custom_params", "201 entries, at most 200"),
    // A number that the body uses as well gets a name after the part in which it is.
    (|t| { set_body(t, "Hi {{1}}, all is well."); t.header = headline("For {{1}} only"); t.buttons.clear(); t.samples = params(&[("1", "Ada")]); }, "custom_params", "no sample for \"header_1\""),
    (|t| { set_body(t, "Hi {{1}}, all is well."); t.buttons = vec![url("Go", "https://shop.example/{{1}}")]; t.samples = params(&[("1", "Ada")]); }, "custom_params", "no sample for \"button_0\""),
    // Tracked links.
    (|t| { t.click_tracking = true; t.buttons.pop(); t.samples.pop(); }, "click_tracking", "the template has no URL button to track"),
    // Carousels.
    (|t| { carousel(t); t.cards.pop(); }, "carousel_cards", "1 cards, expected 2 to 10"),
    (|t| { carousel(t); t.cards = vec![card(0); 11]; }, "carousel_cards", "11 cards, expected 2 to 10"),
    (|t| { carousel(t); t.header = headline("News"); }, "header", "cannot be combined with carousel_cards"),
    (|t| { carousel(t); t.footer = some("Bye"); }, "footer", "cannot be combined with carousel_cards"),
    (|t| { carousel(t); t.buttons = vec![button("quick_reply", "No")]; }, "buttons", "cannot be combined with carousel_cards"),
    (|t| { carousel(t); t.cards[1].header = None; }, "carousel_cards[1].header", "is missing"),
    (|t| { carousel(t); t.cards[0].header = Some(file("document", "https://shop.example/a.pdf")); }, "carousel_cards[0].header.type", "\"document\": a card needs an image or a video"),
    (|t| { carousel(t); t.cards[0].header = headline("News"); }, "carousel_cards[0].header.type", "\"text\": expected text, image, video, document, location or none"),
    (|t| { carousel(t); t.cards[1].header = Some(file("video", "https://shop.example/a.mp4")); }, "carousel_cards[1].header.type", "\"video\", but the first card has \"image\""),
    (|t| { carousel(t); t.cards[1].header = Some(file("image", "")); }, "carousel_cards[1].header.link", "is missing: give a sample URL, a variable, or the media_header_id of an uploaded file"),
    (|t| { carousel(t); t.cards[1].body = some(&"x".repeat(161)); }, "carousel_cards[1].body", "161 characters, at most 160"),
    (|t| { carousel(t); t.cards[1].body = None; }, "carousel_cards[1].body", "either all cards have a body or none has"),
    (|t| { carousel(t); t.cards[1].body = some("Only {{1}} left"); }, "carousel_cards[1].body", "must use the same kind of variables as the other texts: names or numbers"),
    (|t| { carousel(t); t.cards[1].buttons.clear(); }, "carousel_cards[1].buttons", "a card needs 1 or 2 buttons"),
    (|t| { carousel(t); t.cards[0].buttons.push(button("quick_reply", "No")); }, "carousel_cards[0].buttons", "3 buttons, at most 2"),
    (|t| { carousel(t); t.cards[1].buttons.pop(); }, "carousel_cards[1].buttons", "quick_reply, but the first card has quick_reply, url"),
    (|t| { carousel(t); t.cards[1].buttons[0].text = some("A button that is too long"); }, "carousel_cards[1].buttons[0].parameter.text", "25 characters, at most 20"),
    (|t| { carousel(t); "flow".clone_into(&mut t.cards[0].buttons[0].kind); }, "carousel_cards[0].buttons[0].type", "\"flow\": a card can have quick_reply, url and phone_number buttons"),
    // Limited-time offers.
    (|t| { offer(t); t.offer = Some(NewOffer { text: "A sale that is long".to_owned(), has_expiration: false }); }, "limited_time_offer.text", "19 characters, at most 16"),
    (|t| { offer(t); t.offer = Some(NewOffer::default()); }, "limited_time_offer.text", "is empty"),
    (|t| { offer(t); t.offer = Some(NewOffer { text: "{{name}}".to_owned(), has_expiration: false }); }, "limited_time_offer.text", "must not contain variables"),
    (|t| { offer(t); "UTILITY".clone_into(&mut t.category); }, "limited_time_offer", "is only allowed in category MARKETING"),
    (|t| { offer(t); t.footer = some("Bye"); }, "footer", "cannot be combined with limited_time_offer"),
    (|t| { offer(t); t.header = headline("News"); }, "header.type", "must be image or video in a limited-time offer"),
    (|t| { offer(t); set_body(t, &"x".repeat(601)); }, "body", "601 characters, at most 600"),
    // One-time passwords.
    (|t| { password(t); t.header = headline("News"); }, "header", "is not allowed in category AUTHENTICATION"),
    (|t| { password(t); t.footer = some("Bye"); }, "footer", "is not allowed in category AUTHENTICATION"),
    (|t| { password(t); t.cards = vec![card(0), card(1)]; }, "carousel_cards", "is not allowed in category AUTHENTICATION"),
    (|t| { password(t); t.click_tracking = true; }, "click_tracking", "is not allowed in category AUTHENTICATION"),
    (|t| { password(t); t.code_expiration_minutes = Some(91); }, "code_expiration_minutes", "expected 1 to 90"),
    (|t| { password(t); t.code_expiration_minutes = Some(0); }, "code_expiration_minutes", "expected 1 to 90"),
    (|t| { password(t); set_body(t, "{{a}} and {{b}}"); }, "body", "must have one variable, the code, in category AUTHENTICATION"),
    (|t| { password(t); set_body(t, "No code at all"); }, "body", "must have one variable, the code, in category AUTHENTICATION"),
    (|t| { password(t); t.buttons = vec![url("Go", "https://shop.example/")]; }, "buttons[0].type", "\"url\": expected otp in category AUTHENTICATION"),
    (|t| { password(t); t.buttons = vec![button("otp", "Copy"), button("otp", "Copy")]; }, "buttons", "2 buttons, at most 1 in category AUTHENTICATION"),
    (|t| { password(t); t.buttons = vec![button("otp", "Copy the code at once")]; }, "buttons[0].parameter.text", "21 characters, at most 20"),
];
