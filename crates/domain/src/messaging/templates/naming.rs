//! Names of the parameters of a template. A named variable is one parameter wherever it occurs. At the network the
//! numbers of every part begin with one; here the body keeps its numbers, and a number of another part gets a name
//! after the part.

use super::text;

/// Parameter of a header's file whose link is no variable.
pub const HEADER_LINK: &str = "header_link";
/// Parameter of a button's code that is no variable.
pub const COPY_CODE: &str = "copy_code";

pub fn card_header(card: usize) -> String {
    format!("card_{card}_{HEADER_LINK}")
}

#[derive(Debug)]
pub struct Naming {
    used: Vec<String>,
}

impl Naming {
    pub fn new(body: &str) -> Self {
        let numbers = text::distinct(body).unwrap_or_default().into_iter().filter(|name| text::is_number(name));
        Self { used: numbers.map(str::to_owned).collect() }
    }

    /// Parameter of the variable in a header's text.
    pub fn header(&mut self, variable: &str) -> String {
        self.free(variable, || format!("header_{variable}"))
    }

    /// Parameter of the variable in a button's URL.
    pub fn button(&mut self, index: usize, variable: &str) -> String {
        self.free(variable, || format!("button_{index}"))
    }

    /// Parameter of the variable in the URL of a card's button.
    pub fn card_button(card: usize, index: usize, variable: &str) -> String {
        if text::is_number(variable) { format!("card_{card}_button_{index}") } else { variable.to_owned() }
    }

    fn free(&mut self, variable: &str, other: impl Fn() -> String) -> String {
        if !text::is_number(variable) {
            return variable.to_owned();
        }
        if self.used.iter().any(|used| used == variable) {
            return other();
        }
        self.used.push(variable.to_owned());
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
        assert_eq!(naming.button(0, "2"), "button_0", "and is used then");
        assert_eq!((naming.header("name"), naming.button(1, "name")), ("name".to_owned(), "name".to_owned()));
    }

    #[test]
    fn cards_have_names_of_their_own() {
        assert_eq!(Naming::card_button(1, 0, "1"), "card_1_button_0");
        assert_eq!(Naming::card_button(1, 0, "name"), "name");
        assert_eq!(card_header(3), "card_3_header_link");
    }
}
