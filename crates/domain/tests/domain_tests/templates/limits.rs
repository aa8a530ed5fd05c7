//! Both sides of every limit.

use domain::messaging::templates::{
    Action, ButtonValue, Category, Content, FilledHeader, MemberProblem, NewButton, NewHeader, NewOffer, NewTemplate,
};

use super::TRACKED;
use super::bad::{base, button, card, carousel, file, params, phone, some, url};

fn check(change: impl FnOnce(&mut NewTemplate)) -> Result<Content, MemberProblem> {
    let mut new = base();
    change(&mut new);
    new.checked(Some(TRACKED)).map(|checked| checked.content)
}

#[track_caller]
fn sound(change: impl FnOnce(&mut NewTemplate)) -> Content {
    check(change).unwrap()
}

#[track_caller]
fn assert_refused(change: impl FnOnce(&mut NewTemplate), problem: &str) {
    assert_eq!(check(change).unwrap_err().to_string(), problem);
}

fn text_header(text: &str) -> NewHeader {
    NewHeader { kind: "text".into(), text: some(text), ..NewHeader::default() }
}

fn plain(new: &mut NewTemplate) {
    new.header = None;
    new.footer = None;
    new.buttons.clear();
    new.body = some("Your order is on its way.");
    new.samples.clear();
}

#[test]
fn every_text_may_be_as_long_as_the_network_says() {
    sound(|new| new.name = "x".repeat(512));
    sound(|new| new.sub_category = some(&"ä".repeat(64)));
    sound(|new| {
        plain(new);
        new.body = some(&"ä".repeat(1024));
    });
    sound(|new| new.header = Some(text_header(&"ä".repeat(60))));
    sound(|new| new.footer = some(&"ä".repeat(60)));
    sound(|new| new.buttons[0].text = some(&"ä".repeat(20)));
    sound(|new| {
        plain(new);
        new.buttons = vec![url("Go", &format!("https://shop.example/{}", "x".repeat(1979)))];
    });
    sound(|new| {
        plain(new);
        new.offer = Some(NewOffer { text: "ä".repeat(16), has_expiration: false });
        new.body = some(&"x".repeat(600));
    });
    assert_refused(
        |new| new.offer = Some(NewOffer { text: "x".repeat(17), has_expiration: false }),
        "limited_time_offer.text: 17 characters, at most 16",
    );
    assert_refused(
        |new| new.offer = Some(NewOffer { text: "a\nb".into(), has_expiration: false }),
        "limited_time_offer.text: must not contain line breaks",
    );
    sound(|new| new.samples[0].value = "ä".repeat(1024));
    assert_refused(
        |new| new.samples[0].value = "ä".repeat(1025),
        "custom_params[0].value: 1025 characters, at most 1024",
    );
    assert_refused(|new| new.samples[0].value = " ".into(), "custom_params[0].value: is empty");
    assert_refused(|new| new.samples[0].value = "a\nb".into(), "custom_params[0].value: must not contain line breaks");
    assert_refused(|new| new.samples = vec![new.samples[0].clone(); 201], "custom_params: 201 entries, at most 200");
    assert_refused(
        |new| new.samples = vec![new.samples[0].clone(); 200],
        "custom_params[1].name: \"name\" appears twice",
    );
}

#[test]
fn a_body_has_at_least_as_many_words_as_variables_and_may_have_lines() {
    let with = |body: &str, names: &[(&str, &str)]| {
        check(|new| {
            plain(new);
            new.body = some(body);
            new.samples = params(names);
        })
    };
    let names = [("a", "1"), ("b", "2")];
    assert!(with("Hi {{a}}, you {{b}}.", &names).is_ok(), "two words for two variables");
    assert!(with("Hi {{a}}, {{b}}.", &names).is_err());
    assert_eq!(with("Line one\r\nline {{ a }} two", &names[..1]).unwrap().body, "Line one\r\nline {{a}} two");
    assert!(with("Hi {{a}}, you {{a}} and {{a}}.", &names[..1]).is_ok(), "one that repeats is one");
    assert!(with("a {b} c } d { e", &[]).is_ok(), "single braces are letters");
}

#[test]
fn buttons_are_counted_by_kind() {
    sound(|new| {
        plain(new);
        new.buttons = (0..10).map(|place| button("quick_reply", &place.to_string())).collect();
    });
    sound(|new| {
        plain(new);
        new.buttons = vec![url("a", "https://a.example/"), url("a", "https://b.example/"), phone("+14155552671")];
    });
    let one_of_each = sound(|new| {
        plain(new);
        new.buttons = vec![
            button("quick_reply", "Yes"),
            button("quick_reply", "No"),
            NewButton { copy_offer_code: some("A"), ..button(" Copy_Code ", "") },
            NewButton { flow_name: some(" start "), navigate_screen: some(" ONE "), ..button("flow", "Begin") },
            button("voice_call", "Call"),
            button("order_details", ""),
            NewButton { phone_number: some("+14155552671"), ..button("call", "Ring") },
        ];
    });
    let kinds: Vec<(&str, &str)> =
        one_of_each.buttons.iter().map(|button| (button.action.kind(), button.text.as_str())).collect();
    assert_eq!(
        kinds,
        [
            ("quick_reply", "Yes"),
            ("quick_reply", "No"),
            ("copy_code", "Copy offer code"),
            ("flow", "Begin"),
            ("voice_call", "Call"),
            ("order_details", "Review and pay"),
            ("phone_number", "Ring"),
        ]
    );
    let flow = Action::Flow { flow_id: None, flow_name: some("start"), action: None, screen: some("ONE") };
    assert_eq!(one_of_each.buttons[3].action, flow);
    assert_eq!(one_of_each.buttons_type(), "quick_reply_and_call_to_action");
    for kind in ["voice_call", "order_details"] {
        assert_refused(
            |new| new.buttons = vec![button(kind, "a"), button(kind, "b")],
            &format!("buttons[1].type: 2 buttons of type {kind}, at most 1"),
        );
    }
    let catalog = sound(|new| {
        plain(new);
        new.buttons = vec![button("catalog", "")];
    });
    assert_eq!((catalog.buttons[0].text.as_str(), catalog.buttons_type()), ("View catalog", "call_to_action"));
}

#[test]
fn quick_replies_are_before_or_after_the_others() {
    let order = |kinds: &[&str]| {
        check(|new| {
            plain(new);
            new.buttons = kinds
                .iter()
                .enumerate()
                .map(|(place, kind)| match *kind {
                    "url" => url(&place.to_string(), "https://a.example/"),
                    kind => button(kind, &place.to_string()),
                })
                .collect();
        })
    };
    assert!(order(&["quick_reply", "quick_reply", "url"]).is_ok());
    assert!(order(&["url", "url", "quick_reply"]).is_ok());
    assert!(order(&["url", "quick_reply", "url"]).is_err());
    assert!(order(&["quick_reply", "url", "quick_reply"]).is_err());
}

#[test]
fn codes_and_flows_have_their_limits() {
    let code = |code: &str| {
        check(|new| {
            plain(new);
            new.buttons = vec![NewButton { copy_offer_code: some(code), ..button("copy_code", "Copy") }];
        })
    };
    assert!(code(&"x".repeat(15)).is_ok() && code(&"x".repeat(16)).is_err());
    assert_eq!(code("a\nb").unwrap_err().message, "must not contain line breaks");
    assert_eq!(code("{{1}}").unwrap_err().message, "expected a code, or a single named variable");
    assert_eq!(code("{{a}}{{b}}").unwrap_err().message, "expected a code, or a single named variable");
    assert_eq!(code("{{a}}x").unwrap_err().message, "expected a code, or a single named variable");
    assert_eq!(code("{{a").unwrap_err().to_string(), "buttons[0].parameter.copy_offer_code: {{ without }} after it");
    assert_eq!(code("").unwrap_err().to_string(), "custom_params: no sample for \"copy_code\"");
    let flow = |id: &str, action: &str| {
        check(|new| {
            plain(new);
            new.buttons = vec![NewButton { flow_id: some(id), flow_action: some(action), ..button("flow", "Begin") }];
        })
    };
    assert!(flow(&"1".repeat(32), "NAVIGATE").is_ok() && flow("1", "data_exchange").is_ok() && flow("1", "").is_ok());
    assert!(flow(&"1".repeat(33), "navigate").is_err());
    let Action::Flow { action, flow_id, .. } = flow(" 7 ", " Navigate ").unwrap().buttons[0].action.clone() else {
        unreachable!("a flow")
    };
    assert_eq!((flow_id.as_deref(), action.as_deref()), (Some("7"), Some("navigate")));
}

#[test]
fn the_type_of_a_url_fits_its_variable() {
    let typed = |kind: &str, address: &str| {
        check(|new| {
            plain(new);
            new.body = some("Hi {{name}}, welcome.");
            new.buttons = vec![NewButton { url_type: some(kind), ..url("Go", address) }];
            new.samples = params(&[("name", "Ada"), ("x", "1")]);
            if !address.contains("{{") {
                new.samples.pop();
            }
        })
    };
    for kind in ["", "None", " DYNAMIC "] {
        assert!(typed(kind, "https://a.example/{{x}}").is_ok(), "{kind}");
    }
    for kind in ["", "none", "Static"] {
        assert!(typed(kind, "https://a.example/").is_ok(), "{kind}");
    }
    for start in ["https://a.example/?x={{x}}", "https://a.example?{{x}}", "https://a.example#{{x}}"] {
        assert!(typed("dynamic", start).is_ok(), "{start}");
    }
}

#[test]
fn every_card_counts_from_one_and_may_have_no_text() {
    let with = |count: usize| {
        check(|new| {
            carousel(new);
            new.cards = (0..count).map(card).collect();
        })
    };
    assert!(with(2).is_ok() && with(10).is_ok());
    assert_eq!(with(1).unwrap_err().to_string(), "carousel_cards: 1 cards, expected 2 to 10");
    assert_eq!(with(11).unwrap_err().to_string(), "carousel_cards: 11 cards, expected 2 to 10");
    sound(|new| {
        carousel(new);
        new.cards.iter_mut().for_each(|card| card.body = some(&"x".repeat(160)));
    });
    let silent = sound(|new| {
        carousel(new);
        new.header = Some(NewHeader { kind: "None".into(), ..NewHeader::default() });
        new.cards.iter_mut().for_each(|card| card.body = None);
    });
    assert_eq!(silent.cards.len(), 2);
    assert_refused(
        |new| {
            carousel(new);
            new.offer = Some(NewOffer { text: "Sale".into(), has_expiration: false });
        },
        "limited_time_offer: cannot be combined with carousel_cards",
    );
    for kind in ["copy_code", "catalog", "voice_call", "order_details"] {
        assert_refused(
            |new| {
                carousel(new);
                kind.clone_into(&mut new.cards[0].buttons[0].kind);
            },
            &format!(
                "carousel_cards[0].buttons[0].type: {kind:?}: a card can have quick_reply, url and phone_number buttons"
            ),
        );
    }
    let pictures = sound(|new| {
        carousel(new);
        new.cards.iter_mut().for_each(|card| card.header = Some(file("image", "{{picture}}")));
        new.samples.extend(params(&[("picture", "https://shop.example/a.jpg")]));
    });
    assert_eq!(pictures.cards[1].header.parameter, "picture");
    assert_refused(
        |new| {
            carousel(new);
            new.cards.iter_mut().for_each(|card| card.header = Some(file("image", "{{picture}}")));
            new.samples.extend(params(&[("picture", "a.jpg")]));
        },
        "custom_params[1].value: expected a URL that begins with https:// or http://",
    );
}

#[test]
fn an_uploaded_file_and_a_location_need_no_sample() {
    let uploaded = |kind: &str| NewHeader { media_header_id: some("4::abc"), ..file(kind, "") };
    let content = sound(|new| new.header = Some(uploaded("image")));
    assert!(content.parameters().iter().any(|asked| asked.name == "header_link" && asked.required));
    sound(|new| new.header = Some(file("location", "")));
    sound(|new| {
        carousel(new);
        new.cards.iter_mut().for_each(|card| card.header = Some(uploaded("video")));
    });
    let offer = sound(|new| {
        plain(new);
        new.header = Some(uploaded("video"));
        new.offer = Some(NewOffer { text: "Sale".into(), has_expiration: true });
    });
    let names: Vec<(String, bool)> = offer.parameters().into_iter().map(|asked| (asked.name, asked.required)).collect();
    assert_eq!(names, [("header_link".to_owned(), true), ("expiration_time_ms".to_owned(), true)]);
    for kind in ["document", "location"] {
        assert_refused(
            |new| {
                plain(new);
                new.header = Some(uploaded(kind));
                new.offer = Some(NewOffer { text: "Sale".into(), has_expiration: false });
            },
            "header.type: must be image or video in a limited-time offer",
        );
    }
}

#[test]
fn a_one_time_password_is_written_by_the_network() {
    let password = |change: fn(&mut NewTemplate)| {
        let mut new = NewTemplate {
            name: "code".into(),
            category: "Authentication".into(),
            language: "en".into(),
            ..NewTemplate::default()
        };
        change(&mut new);
        new.checked(None)
    };
    let bare = password(|_| ()).unwrap();
    assert_eq!(bare.category, Category::Authentication);
    assert_eq!((bare.content.body.as_str(), bare.content.footer), ("*{{1}}* is your verification code.", None));
    assert_eq!((bare.content.buttons[0].text.as_str(), bare.content.buttons.len()), ("Copy code", 1));
    for minutes in [1, 90] {
        let mut new = NewTemplate { code_expiration_minutes: Some(minutes), ..NewTemplate::default() };
        (new.name, new.category, new.language) = ("code".into(), "AUTHENTICATION".into(), "en".into());
        let footer = format!("This code expires in {minutes} minutes.");
        assert_eq!(new.checked(None).unwrap().content.footer, Some(footer));
    }
    assert!(password(|new| new.buttons = vec![button("Copy_Code", "Copy it")]).is_ok());
    assert!(password(|new| new.buttons_type = some("none")).is_ok(), "the network gives it its button");
    assert!(password(|new| new.buttons_type = some("call_to_action")).is_ok());
    assert!(password(|new| new.buttons_type = some("quick_reply")).is_err());
    assert!(password(|new| new.header = Some(NewHeader { kind: "NONE".into(), ..NewHeader::default() })).is_ok());
    let offered = password(|new| new.offer = Some(NewOffer { text: "Sale".into(), has_expiration: false }));
    assert_eq!(offered.unwrap_err().place.to_string(), "limited_time_offer");
    let braces = password(|new| new.body = some("{{a"));
    assert_eq!(braces.unwrap_err().to_string(), "body: {{ without }} after it");
}

#[test]
fn the_named_type_must_fit_the_buttons() {
    for (said, buttons, right) in [
        ("none", vec![], true),
        ("quick_reply", vec![], false),
        ("quick_reply", vec![button("quick_reply", "a")], true),
        ("call_to_action", vec![url("a", "https://a.example/")], true),
        (" Quick_Reply_And_Call_To_Action ", vec![button("quick_reply", "a"), url("b", "https://a.example/")], true),
        ("quick_reply_and_call_to_action", vec![button("quick_reply", "a")], false),
        ("", vec![button("quick_reply", "a")], true),
    ] {
        let checked = check(|new| {
            plain(new);
            new.buttons = buttons;
            new.buttons_type = some(said);
        });
        assert_eq!(checked.is_ok(), right, "{said}");
    }
}

#[test]
fn a_link_is_tracked_only_where_there_is_one() {
    assert_refused(
        |new| {
            plain(new);
            new.click_tracking = true;
            new.buttons = vec![button("quick_reply", "a")];
        },
        "click_tracking: the template has no URL button to track",
    );
    let in_a_card = sound(|new| {
        carousel(new);
        new.click_tracking = true;
    });
    assert_eq!(in_a_card.tracked_url.as_deref(), Some(TRACKED));
    assert_eq!(sound(|_| ()).tracked_url, None);
}

#[test]
fn values_may_fill_a_text_to_its_limit() {
    let fill = |content: &Content, values: &[(&str, &str)]| content.fill(&params(values));
    let headed = sound(|new| {
        new.header = Some(text_header("For {{name}}"));
    });
    let name = "x".repeat(56);
    assert_eq!(
        fill(&headed, &[("name", &name), ("order_id", "1")]).unwrap().header_text.map(|text| text.len()),
        Some(60)
    );
    let long = sound(|new| new.body = some(&format!("Hi {{{{name}}}}, {}", "x".repeat(1000))));
    let of = |length: usize| fill(&long, &[("name", &"y".repeat(length)), ("order_id", "1")]);
    assert!(of(19).is_ok() && of(20).is_err());
    let linked = sound(|_| ());
    let of = |length: usize| fill(&linked, &[("name", "Ada"), ("order_id", &"y".repeat(length))]);
    assert!(of(1972).is_ok() && of(1973).is_err(), "an address of 2000 characters");
    let four = fill(&linked, &[("name", "a    b"), ("order_id", "1")]).unwrap();
    assert_eq!(four.text, "Hi a    b, your order is on its way.", "four spaces in a row");
}

#[test]
fn degrees_and_times_have_limits() {
    let place = sound(|new| new.header = Some(file("location", "")));
    let at = |latitude: &str, longitude: &str| {
        let values =
            [("name", "Ada"), ("order_id", "1"), ("header_latitude", latitude), ("header_longitude", longitude)];
        place.fill(&params(&values)).map(|filled| match filled.part.header {
            Some(FilledHeader::Location(place)) => (place.latitude, place.longitude, place.name, place.address),
            other => unreachable!("{other:?}"),
        })
    };
    assert_eq!(at("90", " -180 "), Ok((90.0, -180.0, None, None)));
    assert_eq!(at("-90", "180"), Ok((-90.0, 180.0, None, None)));
    assert!(at("90.1", "0").is_err() && at("0", "180.1").is_err() && at("inf", "0").is_err());
    let sale = sound(|new| {
        plain(new);
        new.offer = Some(NewOffer { text: "Sale".into(), has_expiration: true });
    });
    let until = |text: &str| sale.fill(&params(&[("expiration_time_ms", text)])).map(|filled| filled.expiration_ms);
    assert_eq!(until(" 1 "), Ok(Some(1)));
    assert!(until("0").is_err());
    let endless = sound(|new| {
        plain(new);
        new.offer = Some(NewOffer { text: "Sale".into(), has_expiration: false });
    });
    assert_eq!(endless.fill(&[]).unwrap().expiration_ms, None);
}

#[test]
fn a_code_of_its_own_may_have_fifteen_characters() {
    let coupon = sound(|new| {
        plain(new);
        new.buttons = vec![NewButton { copy_offer_code: some("SUMMER"), ..button("copy_code", "Copy") }];
    });
    let code = "ä".repeat(15);
    let filled = coupon.fill(&params(&[("copy_code", &code)])).unwrap();
    assert_eq!(filled.part.buttons, [(0, ButtonValue::Code(code.clone()))]);
    assert_eq!(filled.buttons[0].code.as_deref(), Some(code.as_str()));
    assert!(coupon.fill(&params(&[("copy_code", &"ä".repeat(16))])).is_err());
}

#[test]
fn a_flow_and_a_catalog_take_a_value_if_there_is_one() {
    let flow = sound(|new| {
        plain(new);
        new.buttons = vec![NewButton { flow_id: some("1"), ..button("flow", "Begin") }];
    });
    let button_values =
        |content: &Content, values: &[(&str, &str)]| content.fill(&params(values)).unwrap().part.buttons;
    assert_eq!(button_values(&flow, &[]), [(0, ButtonValue::Flow(None))]);
    assert_eq!(button_values(&flow, &[("flow_token", "t")]), [(0, ButtonValue::Flow(some("t")))]);
    let catalog = sound(|new| {
        plain(new);
        new.buttons = vec![button("catalog", "")];
    });
    assert_eq!(button_values(&catalog, &[]), [(0, ButtonValue::Catalog(None))]);
    let thumbnail = button_values(&catalog, &[("thumbnail_product_retailer_id", "mug")]);
    assert_eq!(thumbnail, [(0, ButtonValue::Catalog(some("mug")))]);
    assert!(catalog.fill(&params(&[("thumbnail_product_retailer_id", "a\nb")])).is_err());
}

#[test]
fn only_a_document_shows_the_name_of_its_file() {
    for (kind, name) in [("document", Some("own.pdf")), ("image", None), ("video", None)] {
        let content = sound(|new| {
            new.header = Some(NewHeader { file_name: some("own.pdf"), ..file(kind, "https://shop.example/a.pdf") });
        });
        let filled = content.fill(&params(&[("name", "Ada"), ("order_id", "1")])).unwrap();
        let Some(FilledHeader::Media { file_name, .. }) = filled.part.header else { unreachable!("a file") };
        assert_eq!((file_name.as_deref(), filled.header_kind), (name, Some(kind)));
    }
}

#[test]
fn a_parameter_is_listed_once_in_the_order_of_the_text() {
    let content = sound(|new| {
        plain(new);
        new.header = Some(text_header("For {{name}}"));
        new.body = some("Hi {{name}}, order {{order}} is here.");
        new.buttons = vec![
            url("Go", "https://a.example/{{order}}"),
            NewButton { copy_offer_code: some("A"), ..button("copy_code", "") },
        ];
        new.samples = params(&[("name", "Ada"), ("order", "1")]);
    });
    let asked: Vec<(String, bool)> =
        content.parameters().into_iter().map(|asked| (asked.name, asked.required)).collect();
    let expected =
        [("name", true), ("order", true), ("copy_code", false)].map(|(name, needed)| (name.to_owned(), needed));
    assert_eq!(asked, expected);
}

#[test]
fn one_way_of_naming_holds_for_cards_even_where_the_body_has_no_variable() {
    let with = |first: &str, second: &str| {
        check(|new| {
            carousel(new);
            new.body = some("Look what is new.");
            new.cards[0].body = some(first);
            new.cards[1].body = some(second);
            new.samples = params(&[("a", "1"), ("card_1_1", "2"), ("card_0_1", "3")]);
            new.samples.retain(|sample| match sample.name.as_str() {
                "a" => first.contains("{{a}}") || second.contains("{{a}}"),
                "card_0_1" => first.contains("{{1}}"),
                _ => second.contains("{{1}}"),
            });
        })
    };
    assert!(with("Only {{a}} left", "Just {{a}} left").is_ok());
    assert!(with("Only {{1}} left", "Just {{1}} left").is_ok());
    assert!(with("None left", "Just {{1}} left").is_ok());
    let mixed = with("Only {{a}} left", "Just {{1}} left").unwrap_err();
    assert_eq!(mixed.place.to_string(), "carousel_cards[1].body");
}

#[test]
fn a_value_that_one_part_needs_is_required_even_if_another_does_not_need_it() {
    let content = sound(|new| {
        plain(new);
        new.header = Some(file("image", "https://shop.example/a.jpg"));
        new.body = some("See {{header_link}} for more.");
        new.samples = params(&[("header_link", "https://shop.example/b.jpg")]);
    });
    let asked: Vec<(String, bool)> =
        content.parameters().into_iter().map(|asked| (asked.name, asked.required)).collect();
    assert_eq!(asked, [("header_link".to_owned(), true)]);
    assert!(content.fill(&[]).is_err());
}

#[test]
fn an_uploaded_file_spares_only_its_own_sample() {
    assert_refused(
        |new| {
            new.header = Some(NewHeader { media_header_id: some("4::abc"), ..file("image", "") });
            new.samples.remove(0);
        },
        "custom_params: no sample for \"name\"",
    );
    assert_refused(
        |new| {
            carousel(new);
            let uploaded = || Some(NewHeader { media_header_id: some("4::abc"), ..file("image", "") });
            new.cards.iter_mut().for_each(|card| card.header = uploaded());
            new.samples.clear();
        },
        "custom_params: no sample for \"name\"",
    );
}

#[test]
fn a_link_to_a_file_is_a_url_or_one_named_variable() {
    for (link, right) in [
        ("https://shop.example/a.jpg", true),
        (" {{ picture }} ", true),
        ("x{{picture}}", false),
        ("{{picture}}x", false),
        ("{{picture}}{{other}}", false),
        ("{{1}}", false),
    ] {
        let checked = check(|new| {
            new.header = Some(file("image", link));
            if link.contains("picture") {
                new.samples.extend(params(&[("picture", "https://shop.example/a.jpg")]));
            }
        });
        assert_eq!(checked.is_ok(), right, "{link}");
    }
}

#[test]
fn each_card_is_sent_with_its_own_file() {
    let content = sound(carousel);
    let filled = content.fill(&params(&[("name", "Ada")])).unwrap();
    let links: Vec<Option<String>> = filled
        .cards
        .iter()
        .map(|card| match &card.header {
            Some(FilledHeader::Media { link, .. }) => Some(link.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(links, [some("https://shop.example/0.jpg"), some("https://shop.example/1.jpg")]);
    assert_eq!(filled.header_link, None, "the message itself has none");
}
