//! The texts of a message about an order, within the limits of the network.

use super::MemberProblem;
use crate::Field;
use crate::messaging::messages::interactive::MessageHeader;
use crate::messaging::templates::check_link;

const MAX_BODY: usize = 1024;
const MAX_FOOTER: usize = 60;
const MAX_DESCRIPTION: usize = 120;

type CheckResult = Result<(), MemberProblem>;

/// Header, body and footer of a free message about an order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderTexts {
    /// A picture or a file. A message about a status has none.
    pub header: Option<MessageHeader>,
    pub body: String,
    pub footer: Option<String>,
}

impl OrderTexts {
    /// Checks the texts of the message with the order.
    pub fn check(&self) -> CheckResult {
        match &self.header {
            None => {}
            Some(MessageHeader::Text(_)) => {
                return Err(MemberProblem::new(
                    Field::Header,
                    "an order can only have an image, video or document as its header",
                ));
            }
            Some(MessageHeader::Image(link) | MessageHeader::Video(link) | MessageHeader::Document { link, .. }) => {
                check_link(&Field::Header.member(Field::Link), link)?;
            }
        }
        self.check_text()
    }

    /// Checks the texts of a message about the order's status.
    pub fn check_for_status(&self) -> CheckResult {
        if self.header.is_some() {
            return Err(MemberProblem::new(Field::Header, "a message about an order's status cannot have a header"));
        }
        self.check_text()
    }

    fn check_text(&self) -> CheckResult {
        length(Field::Body, &self.body, MAX_BODY)?;
        self.footer.as_ref().map_or(Ok(()), |footer| length(Field::Footer, footer, MAX_FOOTER))
    }
}

/// Checks the text about a status.
pub fn check_description(text: &str) -> CheckResult {
    length(Field::Description, text, MAX_DESCRIPTION)
}

fn length(path: Field, text: &str, most: usize) -> CheckResult {
    match text.chars().count() {
        _ if text.trim().is_empty() => Err(MemberProblem::new(path, "is empty")),
        long if long > most => Err(MemberProblem::new(path, format!("{long} characters, at most {most}"))),
        // A NUL character: PostgreSQL cannot store it, and no phone shows it.
        _ if text.contains('\0') => Err(MemberProblem::new(path, "must not contain control characters")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str, footer: Option<&str>) -> OrderTexts {
        OrderTexts { header: None, body: body.to_owned(), footer: footer.map(str::to_owned) }
    }

    #[test]
    fn the_first_problem_is_named() {
        let problem = |texts: OrderTexts| texts.check().unwrap_err().to_string();
        assert_eq!(texts("Your order", Some("Thank you")).check(), Ok(()));
        assert_eq!(problem(texts(" ", None)), "body: is empty");
        assert_eq!(problem(texts(&"x".repeat(1025), None)), "body: 1025 characters, at most 1024");
        assert_eq!(problem(texts("a\0", None)), "body: must not contain control characters");
        assert_eq!(problem(texts("a", Some(&"x".repeat(61)))), "footer: 61 characters, at most 60");
        assert_eq!(check_description(&"é".repeat(120)), Ok(()));
        assert!(check_description(&"é".repeat(121)).is_err());
    }

    #[test]
    fn only_the_order_itself_may_have_a_picture() {
        let image = |link: &str| OrderTexts {
            header: Some(MessageHeader::Image(link.to_owned())),
            ..texts("Your order", None)
        };
        assert_eq!(image("https://shop.example/mug.png").check(), Ok(()));
        assert_eq!(image("mug.png").check().unwrap_err().place, Field::Header.member(Field::Link));
        assert_eq!(image("https://shop.example/mug.png").check_for_status().unwrap_err().place, Field::Header.into());
        let text = OrderTexts { header: Some(MessageHeader::Text("Hi".to_owned())), ..texts("Your order", None) };
        assert_eq!(text.check().unwrap_err().place, Field::Header.into());
    }

    #[test]
    fn every_text_may_be_as_long_as_the_network_says() {
        assert_eq!(texts(&"é".repeat(1024), Some(&"é".repeat(60))).check(), Ok(()));
        assert_eq!(texts(&"é".repeat(1024), Some(&"é".repeat(60))).check_for_status(), Ok(()));
        assert_eq!(texts(&"x".repeat(1025), None).check_for_status().unwrap_err().place, Field::Body.into());
        assert_eq!(texts("a", Some(" ")).check().unwrap_err().to_string(), "footer: is empty");
        assert_eq!(check_description("").unwrap_err().to_string(), "description: is empty");
        assert_eq!(texts("two\nlines", None).check(), Ok(()));
    }

    #[test]
    fn every_file_of_a_header_needs_a_url() {
        let with = |header| OrderTexts { header: Some(header), ..texts("Your order", None) }.check();
        for link in ["https://shop.example/a", "a"] {
            let found = [
                with(MessageHeader::Image(link.to_owned())),
                with(MessageHeader::Video(link.to_owned())),
                with(MessageHeader::Document { link: link.to_owned(), name: None }),
            ];
            assert_eq!(found.map(|found| found.is_ok()), [link != "a"; 3]);
        }
    }
}
