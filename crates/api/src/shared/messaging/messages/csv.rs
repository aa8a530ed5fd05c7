//! Recipients in a CSV file: one column has the number, one may have the local message id, and the others are values of
//! the template, by name or by position.

use app::messaging::messages::{MAX_RECIPIENTS, TemplateRecipient};
use domain::Field;
use domain::people::contacts::CustomParam;
use domain::people::phone::PhoneNumber;

/// The form part with the file.
pub(crate) const FILE: &str = "whatsapp_numbers_csv";

/// Headings of the column with the number, in lower case, without spaces, `_` and `-`.
const WHO: [&str; 8] =
    ["whatsappnumber", "phonenumber", "phone", "number", "mobile", "target", "waid", "whatsappnumbers"];
const LOCAL_ID: &str = "localmessageid";

/// Parses the file. Empty cells are absent values; empty lines are skipped.
pub(crate) fn recipients(text: &str) -> app::Result<Vec<TemplateRecipient>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut columns: Option<Columns> = None;
    let mut recipients = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| {
            app::Error::invalid(Field::WhatsappNumbersCsv, format!("cannot be read as CSV: {error}"))
        })?;
        if row.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let Some(columns) = &columns else {
            let (found, is_heading) = Columns::from_first_row(&row);
            recipients.extend((!is_heading).then(|| found.recipient(&row)));
            columns = Some(found);
            continue;
        };
        if recipients.len() == MAX_RECIPIENTS {
            return Err(app::Error::invalid(
                Field::WhatsappNumbersCsv,
                format!("more than {MAX_RECIPIENTS} recipients"),
            ));
        }
        recipients.push(columns.recipient(&row));
    }
    Ok(recipients)
}

/// A semicolon if the first line has one and no comma, as spreadsheets of some locales write it; otherwise a comma.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    if first.contains(';') && !first.contains(',') { b';' } else { b',' }
}

#[derive(Debug)]
struct Columns {
    who: usize,
    local_id: Option<usize>,
    /// Names of the columns. If the file has no heading, all are empty: values are then matched by position.
    names: Vec<String>,
}

impl Columns {
    /// The columns by the first row, and whether this row is a heading: it is, unless its first cell is a phone number.
    fn from_first_row(row: &csv::StringRecord) -> (Self, bool) {
        let is_heading = row.get(0).and_then(PhoneNumber::spelled).is_none();
        if !is_heading {
            return (Self { who: 0, local_id: None, names: vec![String::new(); row.len()] }, false);
        }
        let plain = |cell: &str| cell.trim().to_lowercase().replace([' ', '_', '-'], "");
        let place = |wanted: &dyn Fn(&str) -> bool| row.iter().position(|cell| wanted(&plain(cell)));
        let who = place(&|name| WHO.contains(&name)).unwrap_or(0);
        let local_id = place(&|name| name == LOCAL_ID);
        (Self { who, local_id, names: row.iter().map(|cell| cell.trim().to_owned()).collect() }, true)
    }

    fn recipient(&self, row: &csv::StringRecord) -> TemplateRecipient {
        let cell = |place: usize| row.get(place).map(str::trim).filter(|text| !text.is_empty());
        let value = |(place, name): (usize, &String)| {
            let is_other = place != self.who && Some(place) != self.local_id;
            let value = cell(place).filter(|_| is_other)?;
            Some(CustomParam { name: name.clone(), value: value.to_owned() })
        };
        TemplateRecipient {
            target: cell(self.who).unwrap_or_default().to_owned(),
            named_by: Field::WhatsappNumbersCsv,
            local_id: self.local_id.and_then(cell).map(str::to_owned),
            params: self.names.iter().enumerate().filter_map(value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = (String, Option<String>, Vec<(String, String)>);

    fn read(text: &str) -> Vec<Read> {
        let rows = recipients(text).unwrap().into_iter();
        let params =
            |row: &TemplateRecipient| row.params.iter().map(|one| (one.name.clone(), one.value.clone())).collect();
        rows.map(|row| (row.target.clone(), row.local_id.clone(), params(&row))).collect()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn columns_are_found_by_their_headings() {
        let text = "\u{feff}name,WhatsApp Number,local_message_id\r\nAda,+1 415 555 2671,a-1\r\n\r\n\"Bo, junior\",14155550132,\r\n";
        let ada = ("+1 415 555 2671".to_owned(), Some("a-1".to_owned()), vec![pair("name", "Ada")]);
        let bo = ("14155550132".to_owned(), None, vec![pair("name", "Bo, junior")]);
        assert_eq!(read(text), [ada, bo]);
        assert_eq!(
            read("who;city\n14155552671;Berlin\n"),
            [("14155552671".to_owned(), None, vec![pair("city", "Berlin")])]
        );
    }

    #[test]
    fn without_a_heading_the_order_counts() {
        let rows = read("14155552671,Ada,Berlin\n14155550132,Bo,\n");
        assert_eq!(rows[0].2, [pair("", "Ada"), pair("", "Berlin")]);
        assert_eq!(rows[1].2, [pair("", "Bo")]);
        assert!(read("").is_empty());
        assert!(read("phone,name\n").is_empty());
    }

    #[test]
    fn there_is_an_end() {
        let many = "phone\n".to_owned() + &"14155552671\n".repeat(MAX_RECIPIENTS + 1);
        let error = recipients(&many).unwrap_err().to_string();
        assert_eq!(error, "whatsapp_numbers_csv: more than 10000 recipients");
    }
}
