//! Phone numbers: digits with country code, checked against the numbering plans, in one spelling for each number.

use std::fmt;

/// A valid number as E.164 digits without `+`. Brazil's ninth digit, Argentina's 9 and Mexico's 1 are normalized, so
/// that one person does not become two contacts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhoneNumber(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPhoneNumber {
    #[error("expected a phone number with country code, such as 14155552671")]
    Shape,
    #[error("{0} is not a valid phone number in any country")]
    Impossible(String),
}

impl PhoneNumber {
    /// Parses a number. Accepts `+`, spaces, dashes, dots and brackets.
    pub fn parse(text: &str) -> Result<Self, NotAPhoneNumber> {
        Self::parse_located(text).map(|(number, _)| number)
    }

    /// The normalized digits, without a check of the numbering plans. Enough for a look-up, since no stored contact has
    /// an invalid number, and far cheaper.
    pub fn spelled(text: &str) -> Option<String> {
        digits_of(text).map(one_spelling)
    }

    /// The number and its country from one look-up in the numbering plans, which is expensive.
    pub fn parse_located(text: &str) -> Result<(Self, Option<String>), NotAPhoneNumber> {
        let digits = Self::spelled(text).ok_or(NotAPhoneNumber::Shape)?;
        match phonenumber::parse(None, format!("+{digits}")) {
            Ok(number) if phonenumber::is_valid(&number) => {
                Ok((Self(digits), number.country().id().map(|id| id.as_ref().to_owned())))
            }
            _ => Err(NotAPhoneNumber::Impossible(digits)),
        }
    }

    pub fn digits(&self) -> &str {
        &self.0
    }

    /// ISO 3166 code of its country, if it has one.
    pub fn country(&self) -> Option<String> {
        let number = phonenumber::parse(None, format!("+{}", self.0)).ok()?;
        number.country().id().map(|id| id.as_ref().to_owned())
    }
}

impl fmt::Display for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn digits_of(text: &str) -> Option<String> {
    let text = text.trim();
    let body = text.strip_prefix('+').unwrap_or(text);
    let fits = body.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '\u{a0}'));
    let digits: String = body.chars().filter(char::is_ascii_digit).collect();
    (fits && (7..=15).contains(&digits.len()) && !digits.starts_with('0')).then_some(digits)
}

fn one_spelling(digits: String) -> String {
    if let Some(national) = digits.strip_prefix("52").filter(|rest| rest.len() == 11 && rest.starts_with('1')) {
        return format!("52{}", &national[1..]);
    }
    if let Some(national) = digits.strip_prefix("54").filter(|rest| rest.len() == 10 && !rest.starts_with('9')) {
        return format!("549{national}");
    }
    if let Some(national) = digits.strip_prefix("55").filter(|rest| rest.len() == 10) {
        let (area, line) = national.split_at(2);
        // Eight digits that begin with 6 to 9 are a mobile number without the ninth digit; 2 to 5 are landlines.
        if line.starts_with(['6', '7', '8', '9']) {
            return format!("55{area}9{line}");
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_one_line_are_one_number() {
        for (spelling, digits) in [
            ("+1 (415) 555-2671", "14155552671"),
            ("14155552671", "14155552671"),
            ("55 11 8765-4321", "5511987654321"),
            ("5511987654321", "5511987654321"),
            ("551132654321", "551132654321"),
            ("5215512345678", "525512345678"),
            ("525512345678", "525512345678"),
            ("541123456789", "5491123456789"),
            ("+54 9 11 2345-6789", "5491123456789"),
        ] {
            assert_eq!(PhoneNumber::parse(spelling).unwrap().digits(), digits, "{spelling}");
        }
        assert_eq!(PhoneNumber::parse("14155552671").unwrap().country().as_deref(), Some("US"));
    }

    #[test]
    fn what_cannot_exist_is_refused() {
        for bad in ["", "+", "abc", "1415555267a", "0014155552671", "123", "19995552671123", "12345678901234567"] {
            assert!(PhoneNumber::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(PhoneNumber::parse("11111111111"), Err(NotAPhoneNumber::Impossible("11111111111".to_owned())));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_reads_back(text in "[+0-9 ()-]{0,20}|\\PC{0,20}") {
            if let Ok(number) = PhoneNumber::parse(&text) {
                prop_assert_eq!(PhoneNumber::parse(number.digits()), Ok(number));
            }
        }
    }

    #[test]
    fn a_number_has_7_to_15_digits_and_begins_with_a_country() {
        for (text, digits) in [
            ("1234567", Some("1234567")),
            ("123456", None),
            ("123456789012345", Some("123456789012345")),
            ("1234567890123456", None),
            ("01234567", None),
            ("+1 (23) 45.67-8\u{a0}", Some("12345678")),
            ("++1234567", None),
            ("1+234567", None),
            ("1234567x", None),
            ("１２３４５６７", None),
        ] {
            assert_eq!(PhoneNumber::spelled(text).as_deref(), digits, "{text}");
        }
    }

    #[test]
    fn only_the_numbers_of_three_countries_are_respelled() {
        for (written, spelled) in [
            // Mexico: the 1 before ten digits is dropped.
            ("5215512345678", "525512345678"),
            ("521551234567", "521551234567"),
            ("52155123456789", "52155123456789"),
            ("5225512345678", "5225512345678"),
            // Argentina: mobiles have a 9.
            ("541123456789", "5491123456789"),
            ("549112345678", "549112345678"),
            ("54112345678", "54112345678"),
            ("5411234567890", "5411234567890"),
            // Brazil: eight digits that begin with 6 to 9 were mobiles.
            ("551161234567", "5511961234567"),
            ("551171234567", "5511971234567"),
            ("551181234567", "5511981234567"),
            ("551191234567", "5511991234567"),
            ("551151234567", "551151234567"),
            ("551121234567", "551121234567"),
            ("55118123456", "55118123456"),
            ("5511812345678", "5511812345678"),
            // Other numbers are unchanged.
            ("14155552671", "14155552671"),
            ("491512345678", "491512345678"),
        ] {
            assert_eq!(PhoneNumber::spelled(written).as_deref(), Some(spelled), "{written}");
        }
    }

    #[test]
    fn a_number_has_the_country_of_its_plan_if_it_has_one() {
        for (digits, country) in
            [("14155552671", Some("US")), ("5511987654321", Some("BR")), ("4930901820", Some("DE"))]
        {
            let (number, located) = PhoneNumber::parse_located(digits).unwrap();
            assert_eq!((number.to_string().as_str(), located.as_deref()), (digits, country));
            assert_eq!(number.country(), located);
        }
        assert_eq!(PhoneNumber::parse("abc"), Err(NotAPhoneNumber::Shape));
    }
}
