//! The network's rules for interactive messages.

use std::collections::BTreeSet;

use super::{Choice, InteractiveAction, InteractiveMessage, MessageHeader, ProductGroup, Row, Section};
use crate::messaging::templates::{MemberProblem, check_link};
use crate::{Field, Place};

const MAX_HEADER: usize = 60;
const MAX_FOOTER: usize = 60;
const MAX_BODY: usize = 1024;
const MAX_LIST_BODY: usize = 4096;
const MAX_BUTTON: usize = 20;
const MAX_BUTTON_ID: usize = 256;
const MAX_BUTTONS: usize = 3;
const MAX_SECTIONS: usize = 10;
const MAX_SECTION: usize = 24;
const MAX_ROWS: usize = 10;
const MAX_ROW: usize = 24;
const MAX_ROW_ID: usize = 200;
const MAX_DESCRIPTION: usize = 72;
const MAX_PRODUCTS: usize = 30;
const MAX_ID: usize = 256;

type CheckResult = Result<(), MemberProblem>;

impl InteractiveMessage {
    /// Checks whether the network would accept the message. The error has the first wrong place.
    pub fn check(&self) -> CheckResult {
        self.check_header()?;
        self.check_body()?;
        if let Some(footer) = &self.footer {
            length(Field::Footer, footer, MAX_FOOTER)?;
        }
        match &self.action {
            InteractiveAction::Buttons(buttons) => check_buttons(buttons),
            InteractiveAction::List { button, sections } => {
                length(Field::ButtonText, button, MAX_BUTTON)?;
                check_sections(sections)
            }
            InteractiveAction::Link { text, url } => {
                length(Field::LinkText, text, MAX_BUTTON)?;
                check_link(&Field::Url.into(), url)
            }
            InteractiveAction::Product { catalog, product } => {
                length(Field::CatalogId, catalog, MAX_ID)?;
                length(Field::Product, product, MAX_ID)
            }
            InteractiveAction::Products { catalog, sections } => {
                length(Field::CatalogId, catalog, MAX_ID)?;
                check_groups(sections)
            }
        }
    }

    fn check_header(&self) -> CheckResult {
        let wrong = |message: &str| Err(MemberProblem::new(Field::Header, message));
        match (&self.header, &self.action) {
            (None, InteractiveAction::Products { .. }) => wrong("is required: a product list needs a text header"),
            (None, _) => Ok(()),
            (Some(_), InteractiveAction::Product { .. }) => wrong("is not allowed: a product has its own header"),
            (Some(MessageHeader::Text(text)), _) => length(Field::Header.member(Field::Text), text, MAX_HEADER),
            (Some(_), InteractiveAction::List { .. } | InteractiveAction::Products { .. }) => {
                wrong("a list can only have a text header")
            }
            (
                Some(MessageHeader::Image(link) | MessageHeader::Video(link) | MessageHeader::Document { link, .. }),
                _,
            ) => check_link(&Field::Header.member(Field::Link), link),
        }
    }

    fn check_body(&self) -> CheckResult {
        let most = if matches!(self.action, InteractiveAction::List { .. }) { MAX_LIST_BODY } else { MAX_BODY };
        match &self.body {
            Some(body) => length(Field::Body, body, most),
            None if matches!(self.action, InteractiveAction::Product { .. }) => Ok(()),
            None => Err(MemberProblem::new(Field::Body, "is required")),
        }
    }
}

fn length(path: impl Into<Place>, text: &str, most: usize) -> CheckResult {
    let characters = text.chars().count();
    if text.trim().is_empty() {
        return Err(MemberProblem::new(path, "is empty"));
    }
    if characters > most {
        return Err(MemberProblem::new(path, format!("{characters} characters, at most {most}")));
    }
    Ok(())
}

fn count(path: impl Into<Place>, things: &str, number: usize, most: usize) -> CheckResult {
    match number {
        0 => Err(MemberProblem::new(path, format!("expected 1 to {most} {things}"))),
        _ if number > most => Err(MemberProblem::new(path, format!("{number} {things}, at most {most}"))),
        _ => Ok(()),
    }
}

fn once<'a>(known: &mut BTreeSet<&'a str>, path: impl FnOnce() -> Place, text: &'a str) -> CheckResult {
    if known.insert(text) { Ok(()) } else { Err(MemberProblem::new(path(), "appears twice")) }
}

fn check_buttons(buttons: &[Choice]) -> CheckResult {
    count(Field::Buttons, "buttons", buttons.len(), MAX_BUTTONS)?;
    let (mut ids, mut titles) = (BTreeSet::new(), BTreeSet::new());
    for (place, button) in buttons.iter().enumerate() {
        let path = |member: Field| Field::Buttons.at(place).member(member);
        length(path(Field::ButtonTitle), &button.title, MAX_BUTTON)?;
        length(path(Field::ButtonId), &button.id, MAX_BUTTON_ID)?;
        once(&mut titles, || path(Field::ButtonTitle), &button.title)?;
        once(&mut ids, || path(Field::ButtonId), &button.id)?;
    }
    Ok(())
}

fn check_sections(sections: &[Section]) -> CheckResult {
    count(Field::Sections, "sections", sections.len(), MAX_SECTIONS)?;
    let mut ids = BTreeSet::new();
    let mut rows = 0;
    for (place, section) in sections.iter().enumerate() {
        let path = |member: Field| Field::Sections.at(place).member(member);
        match &section.title {
            Some(title) => length(path(Field::Title), title, MAX_SECTION)?,
            None if sections.len() > 1 => {
                return Err(MemberProblem::new(path(Field::Title), "is required if there are several sections"));
            }
            None => {}
        }
        rows += section.rows.len();
        count(path(Field::Rows), "rows", section.rows.len(), MAX_ROWS)?;
        for (row, it) in section.rows.iter().enumerate() {
            check_row(|member| path(Field::Rows).at(row).member(member), it, &mut ids)?;
        }
    }
    count(Field::Sections, "rows in all sections", rows, MAX_ROWS)
}

fn check_row<'a>(path: impl Fn(Field) -> Place, row: &'a Row, ids: &mut BTreeSet<&'a str>) -> CheckResult {
    length(path(Field::Title), &row.title, MAX_ROW)?;
    if let Some(description) = &row.description {
        length(path(Field::Description), description, MAX_DESCRIPTION)?;
    }
    length(path(Field::Id), &row.id, MAX_ROW_ID)?;
    once(ids, || path(Field::Id), &row.id)
}

fn check_groups(groups: &[ProductGroup]) -> CheckResult {
    count(Field::Sections, "sections", groups.len(), MAX_SECTIONS)?;
    let mut products = 0;
    for (place, group) in groups.iter().enumerate() {
        let section = Field::Sections.at(place);
        length(section.clone().member(Field::Title), &group.title, MAX_SECTION)?;
        let list = section.member(Field::ProductItems);
        products += group.products.len();
        count(&list, "products", group.products.len(), MAX_PRODUCTS)?;
        for (product, id) in group.products.iter().enumerate() {
            length(list.clone().at(product).member(Field::ProductRetailerId), id, MAX_ID)?;
        }
    }
    count(Field::Sections, "products in all sections", products, MAX_PRODUCTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(titles: &[&str]) -> InteractiveAction {
        let choice = |(place, title): (usize, &&str)| Choice { id: place.to_string(), title: (*title).to_owned() };
        InteractiveAction::Buttons(titles.iter().enumerate().map(choice).collect())
    }

    fn message(action: InteractiveAction) -> InteractiveMessage {
        InteractiveMessage { header: None, body: Some("Which one?".to_owned()), footer: None, action }
    }

    fn list(sections: &[(Option<&str>, &[&str])]) -> InteractiveAction {
        let section = |(title, rows): &(Option<&str>, &[&str])| Section {
            title: title.map(str::to_owned),
            rows: rows
                .iter()
                .map(|title| Row { id: (*title).to_owned(), title: (*title).to_owned(), description: None })
                .collect(),
        };
        InteractiveAction::List { button: "Choose".to_owned(), sections: sections.iter().map(section).collect() }
    }

    fn groups(products: &[usize]) -> InteractiveMessage {
        let group = |many: &usize| ProductGroup { title: "Hats".to_owned(), products: vec!["hat".to_owned(); *many] };
        let action =
            InteractiveAction::Products { catalog: "1".to_owned(), sections: products.iter().map(group).collect() };
        InteractiveMessage { header: Some(MessageHeader::Text("Our hats".to_owned())), ..message(action) }
    }

    #[track_caller]
    fn assert_refused(message: &InteractiveMessage, problem: &str) {
        assert_eq!(message.check().unwrap_err().to_string(), problem);
    }

    #[test]
    fn good_ones() {
        for good in [
            message(choices(&["Yes"])),
            message(choices(&["Yes", "No", "Later"])),
            InteractiveMessage { body: Some("x".repeat(4096)), ..message(list(&[(None, &["a", "b"])])) },
            message(list(&[(Some("One"), &["a", "b", "c", "d", "e"]), (Some("Two"), &["f", "g", "h", "i", "j"])])),
            message(InteractiveAction::Link { text: "Open".to_owned(), url: "https://example.com/x".to_owned() }),
            InteractiveMessage {
                body: None,
                ..message(InteractiveAction::Product { catalog: "1".to_owned(), product: "2".to_owned() })
            },
            groups(&[15, 15]),
            InteractiveMessage {
                header: Some(MessageHeader::Image("https://example.com/a.jpg".to_owned())),
                ..message(choices(&["Yes"]))
            },
        ] {
            assert_eq!(good.check(), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_frame() {
        let yes = || message(choices(&["Yes"]));
        assert_refused(&InteractiveMessage { body: None, ..yes() }, "body: is required");
        assert_refused(&InteractiveMessage { body: Some(" \n".to_owned()), ..yes() }, "body: is empty");
        assert_refused(
            &InteractiveMessage { body: Some("ä".repeat(1025)), ..yes() },
            "body: 1025 characters, at most 1024",
        );
        let long = InteractiveMessage { body: Some("x".repeat(4097)), ..message(list(&[(None, &["a"])])) };
        assert_refused(&long, "body: 4097 characters, at most 4096");
        assert_refused(
            &InteractiveMessage { footer: Some("x".repeat(61)), ..yes() },
            "footer: 61 characters, at most 60",
        );
        let header = |header| InteractiveMessage { header: Some(header), ..yes() };
        assert_refused(&header(MessageHeader::Text("x".repeat(61))), "header.text: 61 characters, at most 60");
        let link = "header.link: expected a URL that begins with https:// or http://";
        assert_refused(&header(MessageHeader::Video("ftp://example.com/a.mp4".to_owned())), link);
        assert_refused(&header(MessageHeader::Document { link: "plan.pdf".to_owned(), name: None }), link);
        let on_list = InteractiveMessage {
            action: list(&[(None, &["a"])]),
            ..header(MessageHeader::Image("https://a.example/".to_owned()))
        };
        assert_refused(&on_list, "header: a list can only have a text header");
        let bare = InteractiveMessage { header: None, ..groups(&[1]) };
        assert_refused(&bare, "header: is required: a product list needs a text header");
        let product = InteractiveAction::Product { catalog: "1".to_owned(), product: "2".to_owned() };
        assert_refused(
            &InteractiveMessage { action: product, ..header(MessageHeader::Text("Hat".to_owned())) },
            "header: is not allowed: a product has its own header",
        );
    }

    #[test]
    fn what_is_wrong_with_the_action() {
        assert_refused(&message(choices(&[])), "buttons: expected 1 to 3 buttons");
        assert_refused(&message(choices(&["a", "b", "c", "d"])), "buttons: 4 buttons, at most 3");
        assert_refused(&message(choices(&["a", ""])), "buttons[1].button_title: is empty");
        assert_refused(
            &message(choices(&["a", "x23456789012345678901"])),
            "buttons[1].button_title: 21 characters, at most 20",
        );
        assert_refused(&message(choices(&["a", "b", "a"])), "buttons[2].button_title: appears twice");
        let same = ["a", "b"].map(|title| Choice { id: "1".to_owned(), title: title.to_owned() });
        assert_refused(&message(InteractiveAction::Buttons(same.to_vec())), "buttons[1].button_id: appears twice");
        let id = Choice { id: "x".repeat(257), title: "a".to_owned() };
        assert_refused(
            &message(InteractiveAction::Buttons(vec![id])),
            "buttons[0].button_id: 257 characters, at most 256",
        );
        assert_refused(
            &message(InteractiveAction::Link { text: "x".repeat(21), url: String::new() }),
            "link_text: 21 characters, at most 20",
        );
        let link = message(InteractiveAction::Link { text: "Open".to_owned(), url: "javascript:x".to_owned() });
        assert_refused(&link, "url: expected a URL that begins with https:// or http://");
    }

    #[test]
    fn what_is_wrong_with_lists() {
        assert_refused(&message(list(&[])), "sections: expected 1 to 10 sections");
        assert_refused(&message(list(&[(None, &[])])), "sections[0].rows: expected 1 to 10 rows");
        assert_refused(
            &message(list(&[(Some("One"), &["a"]), (None, &["b"])])),
            "sections[1].title: is required if there are several sections",
        );
        let long = "x".repeat(25);
        assert_refused(&message(list(&[(Some(&long), &["a"])])), "sections[0].title: 25 characters, at most 24");
        assert_refused(
            &message(list(&[(None, &["a", &long])])),
            "sections[0].rows[1].title: 25 characters, at most 24",
        );
        assert_refused(
            &message(list(&[(Some("1"), &["a"]), (Some("2"), &["a"])])),
            "sections[1].rows[0].id: appears twice",
        );
        let six: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
        let more: [&str; 5] = ["g", "h", "i", "j", "k"];
        let many = message(list(&[(Some("1"), &six), (Some("2"), &more)]));
        assert_refused(&many, "sections: 11 rows in all sections, at most 10");
        assert_refused(&groups(&[16, 15]), "sections: 31 products in all sections, at most 30");
        assert_refused(&groups(&[0]), "sections[0].product_items: expected 1 to 30 products");
    }

    #[track_caller]
    fn sound(message: &InteractiveMessage) {
        assert_eq!(message.check(), Ok(()));
    }

    fn row(id: &str, title: &str, description: Option<&str>) -> InteractiveMessage {
        let row = Row { id: id.to_owned(), title: title.to_owned(), description: description.map(str::to_owned) };
        let sections = vec![Section { title: None, rows: vec![row] }];
        message(InteractiveAction::List { button: "Choose".to_owned(), sections })
    }

    #[test]
    fn every_text_may_be_as_long_as_the_network_says() {
        let x = |count: usize| "ä".repeat(count);
        let yes = || message(choices(&["Yes"]));
        sound(&InteractiveMessage { body: Some(x(1024)), ..yes() });
        sound(&InteractiveMessage { footer: Some(x(60)), ..yes() });
        assert_refused(&InteractiveMessage { footer: Some(" ".to_owned()), ..yes() }, "footer: is empty");
        sound(&InteractiveMessage { header: Some(MessageHeader::Text(x(60))), ..yes() });
        sound(&message(choices(&[&x(20)])));
        sound(&message(InteractiveAction::Buttons(vec![Choice { id: x(256), title: "a".to_owned() }])));
        assert_refused(
            &message(InteractiveAction::Buttons(vec![Choice { id: String::new(), title: "a".to_owned() }])),
            "buttons[0].button_id: is empty",
        );
        sound(&message(InteractiveAction::Link { text: x(20), url: "https://example.com/".to_owned() }));
        sound(&message(list(&[(Some(&x(24)), &["a"])])));
        sound(&row(&x(200), &x(24), Some(&x(72))));
        assert_refused(&row(&x(201), "a", None), "sections[0].rows[0].id: 201 characters, at most 200");
        assert_refused(&row("", "a", None), "sections[0].rows[0].id: is empty");
        assert_refused(&row("a", "a", Some(&x(73))), "sections[0].rows[0].description: 73 characters, at most 72");
        assert_refused(&row("a", "a", Some("")), "sections[0].rows[0].description: is empty");
        let opened_by = |count| match list(&[(None, &["a"])]) {
            InteractiveAction::List { sections, .. } => message(InteractiveAction::List { button: x(count), sections }),
            other => message(other),
        };
        sound(&opened_by(20));
        assert_refused(&opened_by(21), "button_text: 21 characters, at most 20");
    }

    #[test]
    fn a_catalog_and_a_product_are_named() {
        let product = |catalog: usize, product: usize| {
            message(InteractiveAction::Product { catalog: "x".repeat(catalog), product: "x".repeat(product) })
        };
        sound(&product(256, 256));
        assert_refused(&product(257, 1), "catalog_id: 257 characters, at most 256");
        assert_refused(&product(1, 257), "product: 257 characters, at most 256");
        assert_refused(&product(0, 1), "catalog_id: is empty");
        assert_refused(&product(1, 0), "product: is empty");
        assert_refused(&InteractiveMessage { body: Some(String::new()), ..product(1, 1) }, "body: is empty");
        let group = |catalog: &str, title: &str, id: &str| {
            let sections =
                vec![ProductGroup { title: title.to_owned(), products: vec!["hat".to_owned(), id.to_owned()] }];
            let action = InteractiveAction::Products { catalog: catalog.to_owned(), sections };
            InteractiveMessage { header: Some(MessageHeader::Text("Our hats".to_owned())), ..message(action) }
        };
        sound(&group(&"x".repeat(256), &"x".repeat(24), &"x".repeat(256)));
        assert_refused(&group("", "Hats", "cap"), "catalog_id: is empty");
        assert_refused(&group("1", &"x".repeat(25), "cap"), "sections[0].title: 25 characters, at most 24");
        assert_refused(&group("1", "Hats", ""), "sections[0].product_items[1].product_retailer_id: is empty");
        let long = "sections[0].product_items[1].product_retailer_id: 257 characters, at most 256";
        assert_refused(&group("1", "Hats", &"x".repeat(257)), long);
        let picture = InteractiveMessage {
            header: Some(MessageHeader::Image("https://a.example/".to_owned())),
            ..group("1", "Hats", "cap")
        };
        assert_refused(&picture, "header: a list can only have a text header");
    }

    #[test]
    fn lists_have_up_to_ten_sections_and_ten_rows_and_thirty_products() {
        let titles: Vec<String> = (0..11).map(|place| place.to_string()).collect();
        let of = |count: usize| {
            let rows: Vec<[&str; 1]> = titles[..count].iter().map(|title| [title.as_str()]).collect();
            let sections: Vec<(Option<&str>, &[&str])> = rows.iter().map(|row| (Some(row[0]), &row[..])).collect();
            message(list(&sections))
        };
        sound(&of(10));
        assert_refused(&of(11), "sections: 11 sections, at most 10");
        let rows = |count: usize| {
            let rows: Vec<&str> = titles[..count].iter().map(String::as_str).collect();
            message(list(&[(None, &rows)]))
        };
        sound(&rows(10));
        assert_refused(&rows(11), "sections[0].rows: 11 rows, at most 10");
        sound(&groups(&[30]));
        assert_refused(&groups(&[31]), "sections[0].product_items: 31 products, at most 30");
        sound(&groups(&[3; 10]));
        assert_refused(&groups(&[1; 11]), "sections: 11 sections, at most 10");
        assert_refused(&groups(&[]), "sections: expected 1 to 10 sections");
    }

    #[test]
    fn each_kind_of_header_with_a_file_needs_an_address() {
        let with = |header| InteractiveMessage { header: Some(header), ..message(choices(&["Yes"])) };
        let link = || "https://example.com/a".to_owned();
        sound(&with(MessageHeader::Video(link())));
        sound(&with(MessageHeader::Document { link: link(), name: Some("a".to_owned()) }));
        assert_refused(&with(MessageHeader::Text(" ".to_owned())), "header.text: is empty");
        let bad = with(MessageHeader::Image("a.jpg".to_owned())).check().unwrap_err();
        assert_eq!(bad.place, Field::Header.member(Field::Link));
    }
}
