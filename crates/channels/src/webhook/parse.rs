//! Splits a body into entries, changes, lists and items. A part that cannot be parsed becomes a poison record and does
//! not affect the others.

use std::collections::BTreeMap;

use domain::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::item::Item;
use super::object::{Fault, Object, Parsed, as_text, as_time};
use super::record::Source;
use super::text::{clean, too_deep};
use super::{
    BusinessNumber, MAX_RECORDS, Notification, Person, Record, Unreadable, account, calls, messages, payments, people,
    statuses, users,
};

type ItemParser = fn(&Item<'_>) -> Parsed<Notification>;
type ValueParser = fn(&Object<'_>, &str) -> Parsed<Notification>;

/// Fields whose value holds lists. The network uses more than one field for some lists.
const LIST_FIELDS: [&str; 5] = ["messages", "calls", "user_preferences", "user_id_update", "user_actions"];

const LISTS: [(&str, ItemParser); 7] = [
    ("messages", parse_message),
    ("statuses", parse_status),
    ("calls", calls::parse),
    (ERRORS, statuses::parse_error),
    ("user_preferences", users::parse_preference),
    ("user_id_update", users::parse_id_update),
    ("user_actions", users::parse_action),
];
const ERRORS: &str = "errors";

/// Fields whose value is a single notification.
const VALUES: [(&str, ValueParser); 6] = [
    ("message_template_status_update", account::parse_template_status),
    ("message_template_quality_update", account::parse_template_quality),
    ("template_category_update", account::parse_template_category),
    ("phone_number_quality_update", account::parse_number_quality),
    ("phone_number_name_update", account::parse_number_name),
    ("account_update", account::parse_account_update),
];

/// Members by name; of repeated names the last wins, as in most JSON parsers.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Parses a body. Escaped NUL characters and lone surrogates are replaced by U+FFFD in every text.
pub fn parse(body: &[u8]) -> Result<Vec<Record>, Unreadable> {
    let text = std::str::from_utf8(body).map_err(|_| unreadable("not UTF-8"))?;
    let text = clean(text);
    let top: Members<'_> = serde_json::from_str(&text).map_err(|error| unreadable(&not_json(&error)))?;
    if top.get("object").and_then(|raw| scalar(raw)).as_deref() != Some("whatsapp_business_account") {
        return Err(unreadable("object: expected whatsapp_business_account"));
    }
    let entries = top.get("entry").and_then(|raw| list(raw)).ok_or_else(|| unreadable("entry: expected a list"))?;
    let mut records = Records { made: Vec::new() };
    for (index, entry) in entries.iter().enumerate() {
        records.parse_entry(index, entry.get())?;
    }
    Ok(records.made)
}

fn unreadable(reason: &str) -> Unreadable {
    Unreadable(reason.to_owned())
}

fn not_json(error: &serde_json::Error) -> String {
    if error.is_data() {
        return "expected an object".to_owned();
    }
    format!("not JSON: line {} column {}", error.line(), error.column())
}

fn members(text: &str) -> Option<Members<'_>> {
    serde_json::from_str(text).ok()
}

fn list(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

fn scalar(raw: &RawValue) -> Option<String> {
    serde_json::from_str::<Value>(raw.get()).ok().as_ref().and_then(as_text)
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// What all records of an entry share.
struct Entry {
    account_id: String,
    at: Option<Timestamp>,
}

/// What all records of a change share.
struct Change<'a> {
    entry: &'a Entry,
    field: String,
    number: Option<BusinessNumber>,
    path: String,
}

impl Change<'_> {
    fn record(&self, source: Source, notification: Notification) -> Record {
        Record {
            account_id: self.entry.account_id.clone(),
            at_entry: self.entry.at,
            field: self.field.clone(),
            number: self.number.clone(),
            notification,
            source,
        }
    }

    fn poison(&self, source: Source, path: &str, problem: &str) -> Record {
        self.record(source, Notification::Poison { reason: format!("{}{path}: {problem}", self.path) })
    }
}

struct Records {
    made: Vec<Record>,
}

impl Records {
    fn push(&mut self, record: Record) -> Result<(), Unreadable> {
        if self.made.len() >= MAX_RECORDS {
            return Err(unreadable("too many records"));
        }
        self.made.push(record);
        Ok(())
    }

    fn parse_entry(&mut self, index: usize, text: &str) -> Result<(), Unreadable> {
        let path = format!("entry[{index}]");
        match parse_entry(text) {
            Ok((entry, changes)) => {
                for (index, raw) in changes.iter().enumerate() {
                    self.parse_change(&entry, &format!("{path}.changes[{index}]"), raw.get())?;
                }
                Ok(())
            }
            Err(problem) => self.push(Record {
                account_id: String::new(),
                at_entry: None,
                field: String::new(),
                number: None,
                notification: Notification::Poison { reason: format!("{path}{problem}") },
                source: Source::Entry(text.to_owned()),
            }),
        }
    }

    fn parse_change(&mut self, entry: &Entry, path: &str, text: &str) -> Result<(), Unreadable> {
        let mut change = Change { entry, field: String::new(), number: None, path: path.to_owned() };
        let source = || Source::Change(text.to_owned());
        let Some(parts) = members(text) else {
            return self.push(change.poison(source(), "", "expected an object"));
        };
        let Some(field) = parts.get("field").and_then(|raw| scalar(raw)).filter(|field| fits(field)) else {
            return self.push(change.poison(source(), ".field", "expected text"));
        };
        change.field = field;
        let Some(value) = parts.get("value").and_then(|raw| members(raw.get())) else {
            return self.push(change.poison(source(), ".value", "expected an object"));
        };
        change.path.push_str(".value");
        change.number = value.get("metadata").and_then(|raw| business_number(raw));
        let before = self.made.len();
        if LIST_FIELDS.contains(&change.field.as_str()) {
            self.parse_lists(&change, &value)?;
        }
        if self.made.len() > before {
            return Ok(());
        }
        let record = parse_value(&change, parts.get("value").map_or("", |raw| raw.get()), source());
        self.push(record)
    }

    fn parse_lists(&mut self, change: &Change<'_>, value: &Members<'_>) -> Result<(), Unreadable> {
        let contacts = contacts(value);
        let errors = errors_of_the_only_call(value);
        for (name, parser) in LISTS {
            let Some(raw) = value.get(name).filter(|raw| !is_null(raw)) else { continue };
            if name == ERRORS && errors.is_some() {
                continue;
            }
            let Some(items) = list(raw) else {
                let source = Source::Member { name, text: raw.get().to_owned() };
                self.push(change.poison(source, &format!(".{name}"), "expected a list"))?;
                continue;
            };
            for (index, item) in items.iter().enumerate() {
                let errors = errors.filter(|_| name == "calls");
                self.push(parse_item(change, name, index, parser, item.get(), &contacts, errors))?;
            }
        }
        Ok(())
    }
}

fn fits(text: &str) -> bool {
    text.len() <= super::object::MAX_ID
}

/// The entry's members and its changes, or the error.
fn parse_entry(text: &str) -> Result<(Entry, Vec<&RawValue>), &'static str> {
    let parts = members(text).ok_or(": expected an object")?;
    let account_id = match parts.get("id").filter(|raw| !is_null(raw)) {
        None => String::new(),
        Some(raw) => scalar(raw).filter(|id| fits(id)).ok_or(".id: expected text of at most 512 bytes")?,
    };
    let at = parts.get("time").and_then(|raw| as_time(&serde_json::from_str(raw.get()).ok()?));
    let changes = parts.get("changes").and_then(|raw| list(raw)).ok_or(".changes: expected a list")?;
    Ok((Entry { account_id, at }, changes))
}

fn business_number(raw: &RawValue) -> Option<BusinessNumber> {
    let metadata = members(raw.get())?;
    let text = |name| metadata.get(name).and_then(|raw: &&RawValue| scalar(raw)).filter(|text| fits(text));
    Some(BusinessNumber {
        phone_number_id: text("phone_number_id").filter(|id| !id.is_empty())?,
        display_phone_number: text("display_phone_number").filter(|number| !number.is_empty()),
    })
}

fn contacts(value: &Members<'_>) -> Vec<Person> {
    let contacts = value.get("contacts").and_then(|raw| list(raw)).unwrap_or_default();
    let read = |raw: &&RawValue| people::contact(&serde_json::from_str(raw.get()).ok()?);
    contacts.iter().filter_map(read).collect()
}

/// The network writes the error of a failed call next to the list of calls. With exactly one call, it belongs to that
/// call.
fn errors_of_the_only_call<'a>(value: &Members<'a>) -> Option<&'a RawValue> {
    let calls = value.get("calls").and_then(|raw| list(raw))?;
    let errors = *value.get(ERRORS)?;
    (calls.len() == 1 && !too_deep(errors.get()) && list(errors).is_some_and(|errors| !errors.is_empty()))
        .then_some(errors)
}

/// Parses an object, with a bound on nesting.
fn object(text: &str) -> Result<Map<String, Value>, &'static str> {
    if too_deep(text) {
        return Err("nested too deeply");
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("expected an object"),
        Err(_) => Err("holds a number that is out of range"),
    }
}

fn parse_item(
    change: &Change<'_>,
    list: &'static str,
    index: usize,
    parser: ItemParser,
    text: &str,
    contacts: &[Person],
    errors: Option<&RawValue>,
) -> Record {
    let path = format!(".{list}[{index}]");
    let source = |contact: Option<&Person>| Source::Item {
        list,
        text: text.to_owned(),
        contact: contact.cloned().map(Box::new),
        errors: errors.map(|errors| errors.get().to_owned()),
    };
    let members = match object(text) {
        Ok(members) => members,
        Err(problem) => return change.poison(source(None), &path, problem),
    };
    let object = Object::new(&members);
    let contact = people::pair(&object, contacts);
    let errors = errors.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    match parser(&Item { object, raw: text, contact, errors: errors.as_ref() }) {
        Ok(notification) => change.record(source(contact), notification),
        Err(fault) => change.poison(source(contact), &format!("{path}{}", dotted(&fault)), &expected(&fault)),
    }
}

fn parse_value(change: &Change<'_>, text: &str, source: Source) -> Record {
    let members = match object(text) {
        Ok(members) => members,
        Err(problem) => return change.poison(source, "", problem),
    };
    let Some((_, parser)) = VALUES.iter().find(|(field, _)| *field == change.field) else {
        return change.record(source, Notification::Unknown);
    };
    match parser(&Object::new(&members), text) {
        Ok(notification) => change.record(source, notification),
        Err(fault) => change.poison(source, &dotted(&fault), &expected(&fault)),
    }
}

/// Parses a message. A system message may be the change of a person's number or BSUID.
fn parse_message(item: &Item<'_>) -> Parsed<Notification> {
    if item.object.text("type").as_deref() == Some("system")
        && let Some(change) = users::parse_system_message(item)?
    {
        return Ok(Notification::UserIdChange(change));
    }
    messages::parse(item)
}

/// Parses a status. `type` says whether it is that of a message, a payment or a call; without `type` it is a message's.
fn parse_status(item: &Item<'_>) -> Parsed<Notification> {
    match item.object.text("type").as_deref() {
        None | Some("message") => statuses::parse(item),
        Some("payment") => Ok(Notification::Payment(Box::new(payments::parse(item)?))),
        Some("call") => calls::parse_status(item),
        Some(_) => Ok(Notification::Unknown),
    }
}

fn dotted(fault: &Fault) -> String {
    if fault.path.is_empty() { String::new() } else { format!(".{}", fault.path) }
}

fn expected(fault: &Fault) -> String {
    format!("expected {}", fault.expected)
}
