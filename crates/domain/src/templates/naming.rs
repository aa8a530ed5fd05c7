//! What the values of a template are asked for by. A name is asked for once, wherever it stands. Numbers count anew in
//! every part at the network; here the body has them first, and a number that is taken gets a name after its part.

use super::text;

/// The link of a file in the header that has no variable of its own.
pub const HEADER_LINK: &str = "header_link";
/// The code of a button that has no variable of its own.
pub const COPY_CODE: &str = "copy_code";

pub fn card_header(card: usize) -> String {
    format!("card_{card}_{HEADER_LINK}")
}

#[derive(Debug)]
pub struct Naming {
    taken: Vec<String>,
}

impl Naming {
    pub fn new(body: &str) -> Self {
        let numbers = text::distinct(body).unwrap_or_default().into_iter().filter(|name| text::is_number(name));
        Self { taken: numbers.map(str::to_owned).collect() }
    }

    /// Of the variable in a header's text.
    pub fn header(&mut self, variable: &str) -> String {
        self.free(variable, || format!("header_{variable}"))
    }

    /// Of the variable in a button's URL, by the button's place.
    pub fn button(&mut self, place: usize, variable: &str) -> String {
        self.free(variable, || format!("button_{place}"))
    }

    /// Of the variable in the URL of a card's button.
    pub fn card_button(card: usize, place: usize, variable: &str) -> String {
        if text::is_number(variable) { format!("card_{card}_button_{place}") } else { variable.to_owned() }
    }

    fn free(&mut self, variable: &str, other: impl Fn() -> String) -> String {
        if !text::is_number(variable) {
            return variable.to_owned();
        }
        if self.taken.iter().any(|taken| taken == variable) {
            return other();
        }
        self.taken.push(variable.to_owned());
        variable.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_body_has_gets_a_name_after_its_part() {
        let mut naming = Naming::new("Hi {{1}}, {{name}}.");
        assert_eq!((naming.header("1"), naming.button(2, "1")), ("header_1".to_owned(), "button_2".to_owned()));
        assert_eq!(naming.header("2"), "2", "a free number keeps its name");
        assert_eq!(naming.button(0, "2"), "button_0", "and is taken then");
        assert_eq!((naming.header("name"), naming.button(1, "name")), ("name".to_owned(), "name".to_owned()));
    }

    #[test]
    fn cards_have_names_of_their_own() {
        assert_eq!(Naming::card_button(1, 0, "1"), "card_1_button_0");
        assert_eq!(Naming::card_button(1, 0, "name"), "name");
        assert_eq!(card_header(3), "card_3_header_link");
    }
}
