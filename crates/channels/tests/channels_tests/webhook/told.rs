//! What pywa tells of a body, and whether it is what we read. Needs nothing from around it: the tests of the sandbox use
//! this file too.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use channels::webhook::{CallEventKind, Message, Person, Record, What};
use domain::calls::CallDirection;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Told {
    id: Option<String>,
    account: Option<String>,
    wa_id: Option<String>,
    user_id: Option<String>,
    parent_user_id: Option<String>,
    username: Option<String>,
    name: Option<String>,
    kind: Option<String>,
    text: Option<String>,
    payload: Option<String>,
    at: Option<i64>,
    status: Option<String>,
    event: Option<String>,
    direction: Option<String>,
    duration: Option<i64>,
    preference: Option<String>,
    response: Option<serde_json::Value>,
    tracker: Option<String>,
    media_id: Option<String>,
    replied_to: Option<String>,
    target: Option<String>,
    error: Option<i64>,
    new_wa_id: Option<String>,
    new_user_id: Option<String>,
    template: BTreeMap<String, Option<String>>,
}

impl Told {
    fn person(&self) -> Person {
        Person {
            wa_id: self.wa_id.clone(),
            user_id: self.user_id.clone(),
            parent_user_id: self.parent_user_id.clone(),
            username: self.username.as_deref().map(|name| name.trim_start_matches('@').to_owned()),
            name: self.name.clone(),
        }
    }

    fn template(&self, member: &str) -> Option<&str> {
        self.template.get(member).and_then(|text| text.as_deref())
    }
}

/// What pywa tells of the bodies in these files, by the file's name; nothing where it has no reader.
pub fn told(python: PathBuf, files: impl Iterator<Item = PathBuf>) -> BTreeMap<String, Option<Told>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/third_party/pywa_read.py");
    let output = Command::new(python).arg(script).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn compare(name: &str, record: &Record, told: &Told) {
    // An update of the account itself has the account as its id.
    let account = told.account.as_deref().or(told.id.as_deref());
    assert_eq!(account, Some(record.account_id.as_str()), "{name}");
    match &record.what {
        What::Message(message) => compare_message(name, message, told),
        What::Status(status) => {
            assert_eq!((told.id.as_deref(), told.at), (Some(status.id.as_str()), Some(status.at.seconds())), "{name}");
            assert_eq!(told.status.as_deref(), Some(status.reported.as_str()), "{name}");
            assert_eq!((told.person(), &told.tracker), (status.recipient.clone(), &status.callback_data), "{name}");
        }
        What::Call(_) | What::CallStatus(_) => compare_call(name, &record.what, told),
        What::Preference(preference) => {
            assert_eq!(told.preference.as_deref(), Some(preference.value.as_str()), "{name}");
            assert_eq!((told.person(), told.at), (preference.person.clone(), Some(preference.at.seconds())), "{name}");
        }
        What::UserIdChange(change) => {
            assert_eq!((&told.wa_id, &told.new_wa_id), (&change.previous_wa_id, &change.person.wa_id), "{name}");
            // It takes a new id only from the news itself, where a change of number need not repeat it.
            if told.new_user_id.is_some() {
                assert_eq!(told.new_user_id, change.person.user_id, "{name}");
            }
            assert_eq!(told.at, Some(change.at.seconds()), "{name}");
            assert_eq!(told.id, change.message_id, "{name}");
        }
        _ => compare_account(name, record, told),
    }
}

fn compare_message(name: &str, message: &Message, told: &Told) {
    assert_eq!((told.id.as_deref(), told.at), (Some(message.id.as_str()), Some(message.at.seconds())), "{name}");
    // It takes no name from the contact of a system message.
    let known_as = message.from.name.clone().filter(|_| message.kind != "system");
    assert_eq!(told.person(), Person { name: known_as, ..message.from.clone() }, "{name}");
    // An edit has the type of what was edited, and what is new has none.
    match message.kind.as_str() {
        "edit" => assert_eq!(told.kind.as_deref(), Some("text")),
        "hologram" => assert_eq!(told.kind.as_deref(), Some("unknown")),
        kind => assert_eq!(told.kind.as_deref(), Some(kind), "{name}"),
    }
    let answer = told.response.as_ref().and_then(|response| response.as_str());
    assert_eq!(told.text.as_deref().or(answer), message.text.as_deref(), "{name}");
    if told.payload.is_some() {
        assert_eq!(told.payload, message.payload, "{name}");
    }
    assert_eq!(told.media_id.as_ref(), message.media.as_ref().map(|media| &media.id), "{name}");
    assert_eq!(told.target, message.target, "{name}");
    let replied_to = message.context.as_ref().and_then(|context| context.id.clone());
    assert_eq!(told.replied_to, replied_to, "{name}");
    assert_eq!(told.error, message.error.as_ref().map(|error| error.code), "{name}");
}

fn compare_call(name: &str, what: &What, told: &Told) {
    let word = |text: &Option<String>| text.clone().unwrap_or_default().to_ascii_lowercase();
    match what {
        What::Call(call) => {
            assert_eq!((told.id.as_deref(), told.at), (Some(call.id.as_str()), Some(call.at.seconds())), "{name}");
            assert_eq!((told.person(), told.duration), (call.person.clone(), call.duration), "{name}");
            assert_eq!(word(&told.event) == "connect", call.event == CallEventKind::Connect, "{name}");
            assert_eq!(word(&told.direction) == "user_initiated", call.direction == CallDirection::Inbound, "{name}");
            let outcome = call.outcome.map(|outcome| format!("{outcome:?}").to_ascii_lowercase()).unwrap_or_default();
            assert_eq!((word(&told.status), told.error), (outcome, call.error.as_ref().map(|e| e.code)), "{name}");
        }
        What::CallStatus(status) => {
            assert_eq!((told.id.as_deref(), told.at), (Some(status.id.as_str()), Some(status.at.seconds())), "{name}");
            assert_eq!(word(&told.status), format!("{:?}", status.status).to_ascii_lowercase(), "{name}");
            assert_eq!((told.person(), &told.tracker), (status.recipient.clone(), &status.callback_data), "{name}");
        }
        other => panic!("{name}: {other:?}"),
    }
}

fn compare_account(name: &str, record: &Record, told: &Told) {
    assert_eq!(told.at, record.at_entry.map(domain::Timestamp::seconds), "{name}");
    let template = |id: &str, title: &str, language: &str| {
        let members = ["template_id", "template_name", "template_language"].map(|member| told.template(member));
        assert_eq!(members, [Some(id), Some(title), Some(language)], "{name}");
    };
    match &record.what {
        What::TemplateStatus(status) => {
            template(&status.id, &status.name, &status.language);
            assert_eq!(told.template("new_status"), Some(status.event.as_str()), "{name}");
        }
        What::TemplateQuality(quality) => {
            template(&quality.id, &quality.name, &quality.language);
            assert_eq!(told.template("new_quality_score"), Some(quality.new.as_str()), "{name}");
            assert_eq!(told.template("previous_quality_score"), quality.previous.as_deref(), "{name}");
        }
        What::TemplateCategory(category) => {
            template(&category.id, &category.name, &category.language);
            assert_eq!(told.template("new_category"), Some(category.new.as_str()), "{name}");
            assert_eq!(told.template("previous_category"), category.previous.as_deref(), "{name}");
            assert_eq!(told.template("correct_category"), category.correct.as_deref(), "{name}");
        }
        What::Account(update) => assert_eq!(told.event.as_deref(), Some(update.event.as_str()), "{name}"),
        other => panic!("{name}: {other:?}"),
    }
}
