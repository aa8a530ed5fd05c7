//! The header of a CSV file: what each column means.

use domain::people::contacts::{MAX_PARAM_NAME_CHARACTERS, fold};

use super::cells::{cells, without_mark};
use super::problem::BadFile;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Column {
    Phone,
    Bsuid,
    Name,
    OptedIn,
    /// A column that says who has opted out, which no import accepts.
    OptedOut,
    AllowBroadcast,
    AllowSms,
    Teams,
    CustomParams,
    /// A column of an export or of a file of rejected rows that an import ignores.
    Ignored(String),
    Attribute(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Each column with its name in the file.
    pub columns: Vec<(Column, String)>,
}

/// Names of the consent column; a blank or `-` may stand for `_`. If such a column became an attribute, its contacts
/// would be opted in by default whatever it says.
const CONSENT: [&str; 33] = [
    "opted_in",
    "optedin",
    "opt_in",
    "optin",
    "consent",
    "consented",
    "marketing",
    "marketing_consent",
    "marketing_opt_in",
    "marketing_permission",
    "accepts_marketing",
    "newsletter",
    "newsletter_consent",
    "newsletter_opt_in",
    "subscribed",
    "gdpr",
    "gdpr_consent",
    "whatsapp_consent",
    "whatsapp_opt_in",
    "dsgvo",
    "einwilligung",
    "werbeeinwilligung",
    "zustimmung",
    "abonniert",
    "consentement",
    "consentimiento",
    "suscrito",
    "consentimento",
    "consenso",
    "toestemming",
    "nieuwsbrief",
    "samtykke",
    "zgoda",
];
/// Names of a column that says who has opted out. Read as consent, its "yes" would opt in: such a file is refused.
const OPT_OUT: [&str; 16] = [
    "opted_out",
    "optedout",
    "opt_out",
    "optout",
    "marketing_opt_out",
    "whatsapp_opt_out",
    "newsletter_opt_out",
    "unsubscribe",
    "unsubscribed",
    "do_not_contact",
    "no_marketing",
    "abgemeldet",
    "widerspruch",
    "désinscrit",
    "desuscrito",
    "uitgeschreven",
];
/// Columns that an export writes and an import ignores.
const SHOWN_ONLY: [&str; 8] =
    ["id", "parent_bsuid", "username", "source", "created", "last_updated", "blocked", "segments"];
/// The first columns of a file of rejected rows.
pub(super) const ERROR_COLUMNS: [&str; 3] = ["error_row", "error_column", "error"];
/// A column with this prefix is an attribute, even if the text after the prefix is the name of a fixed column.
const ATTRIBUTE: &str = "attribute.";

impl Column {
    fn named(name: &str) -> Self {
        let folded = fold(name);
        let words = folded.replace([' ', '-'], "_");
        match folded.as_str() {
            "phone" | "whatsapp_number" | "whatsappnumber" | "number" | "mobile" => Self::Phone,
            "bsuid" => Self::Bsuid,
            "name" => Self::Name,
            _ if CONSENT.contains(&words.as_str()) => Self::OptedIn,
            _ if OPT_OUT.contains(&words.as_str()) => Self::OptedOut,
            "allow_broadcast" => Self::AllowBroadcast,
            "allow_sms" => Self::AllowSms,
            "teams" => Self::Teams,
            "custom_params" => Self::CustomParams,
            text if SHOWN_ONLY.contains(&text) || ERROR_COLUMNS.contains(&text) => Self::Ignored(folded),
            text if text.starts_with(ATTRIBUTE) => {
                Self::Attribute(name.get(ATTRIBUTE.len()..).unwrap_or_default().to_owned())
            }
            _ => Self::Attribute(name.to_owned()),
        }
    }
}

/// The column name of an attribute, with the prefix where an import would misread the bare name.
pub(crate) fn attribute_column(name: &str) -> String {
    let plain = Column::named(name) == Column::Attribute(name.to_owned()) && name.trim() == name;
    if plain { name.to_owned() } else { format!("{ATTRIBUTE}{name}") }
}

impl Header {
    pub fn parse(row: &[u8]) -> Result<Self, BadFile> {
        let mut columns: Vec<(Column, String)> = Vec::new();
        for (i, cell) in cells(row).iter().enumerate() {
            let text = std::str::from_utf8(cell).map_err(|_| BadFile::HeaderEncoding(i + 1))?;
            let name = without_mark(text);
            // Blanks around a name are typing errors, but after the prefix they belong to the attribute's name.
            let name = if fold(name).starts_with(ATTRIBUTE) { name } else { name.trim() };
            let column = Column::named(name);
            check(i + 1, name, &column)?;
            if let Some(first) = columns.iter().position(|(other, _)| *other == column) {
                return Err(BadFile::Twice(first + 1, columns[first].1.clone(), i + 1, name.to_owned()));
            }
            columns.push((column, name.to_owned()));
        }
        let header = Self { columns };
        if header.columns.iter().any(|(column, _)| matches!(column, Column::Phone | Column::Bsuid)) {
            return Ok(header);
        }
        let semicolons = header.columns.len() == 1 && header.columns[0].1.contains(';');
        let hint = if semicolons { "; columns are separated by commas, not semicolons" } else { "" };
        Err(BadFile::NoPerson(hint))
    }
}

fn check(number: usize, name: &str, column: &Column) -> Result<(), BadFile> {
    let attribute = match column {
        Column::OptedOut => return Err(BadFile::OptOut(number, name.to_owned())),
        Column::Attribute(attribute) => attribute,
        _ => return Ok(()),
    };
    match attribute.chars().count() {
        0 => Err(BadFile::Nameless(number)),
        count if count > MAX_PARAM_NAME_CHARACTERS => Err(BadFile::NameTooLong(number)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(row: &str) -> Vec<Column> {
        Header::parse(row.as_bytes()).unwrap().columns.into_iter().map(|(column, _)| column).collect()
    }

    #[test]
    fn columns_are_known_in_any_letter_case_and_others_are_attributes() {
        let attribute = |name: &str| Column::Attribute(name.to_owned());
        assert_eq!(
            columns("WhatsappNumber, NAME ,City,attribute.name,\"Attribute.a,b\",ID,'=x"),
            [
                Column::Phone,
                Column::Name,
                attribute("City"),
                attribute("name"),
                attribute("a,b"),
                Column::Ignored("id".to_owned()),
                attribute("=x"),
            ]
        );
        assert_eq!(columns("phone,City,city").len(), 3);
        for name in
            ["opted_in", "Consent", "Opt-In", "Opted In", "WhatsApp Opt-In", "Newsletter", "MARKETING", "Zustimmung"]
        {
            assert_eq!(columns(&format!("phone,{name}"))[1], Column::OptedIn, "{name}");
        }
    }

    #[test]
    fn what_no_header_can_be_is_refused_with_its_columns() {
        for (row, expected) in [
            ("phone,city,name,city", "row 1: columns 2 (city) and 4 (city) stand for the same field"),
            ("phone,Mobile", "row 1: columns 1 (phone) and 2 (Mobile) stand for the same field"),
            ("phone,", "row 1: column 2 has no name"),
            ("phone,attribute.", "row 1: column 2 has no name"),
            ("phone,Opt-Out", "row 1: column 2 (Opt-Out) says who has opted out: replace it by opted_in"),
            ("phone,unsubscribed", "row 1: column 2 (unsubscribed) says who has opted out"),
            ("phone,Newsletter,opted_in", "row 1: columns 2 (Newsletter) and 3 (opted_in) stand for the same field"),
            ("14155552671,Ada", "row 1: the header must name the columns, one of them phone"),
            ("phone;name", "row 1: the header must name the columns, one of them phone"),
        ] {
            let error = Header::parse(row.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{row}: {error}");
        }
        assert_eq!(Header::parse(b"phone,st\xe4dt"), Err(BadFile::HeaderEncoding(2)));
        assert!(Header::parse(b"phone;name").unwrap_err().to_string().ends_with("not semicolons"));
    }

    #[test]
    fn columns_of_attributes_are_read_as_the_same_attribute() {
        for name in ["city", "Name", "phone", "attribute.x", " x", "error", "=x", "MOBILE", "Consent", "opt_out"] {
            let column = attribute_column(name);
            let header = Header::parse(format!("bsuid,{column}").as_bytes()).unwrap();
            assert_eq!(header.columns[1].0, Column::Attribute(name.to_owned()), "{column}");
        }
    }
}
