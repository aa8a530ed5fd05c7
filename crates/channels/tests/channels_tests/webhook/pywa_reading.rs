//! The result of the Python library pywa for a body, and its comparison with a record. Self-contained, because the
//! tests of the sandbox include this file too.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use channels::webhook::{CallEventKind, Message, Notification, Person, Record};
use domain::calls::CallDirection;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct PywaReading {
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

impl PywaReading {
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

/// pywa's results for the bodies in these files, by file name; `None` where it has no parser.
pub fn read_with_pywa(python: PathBuf, files: impl Iterator<Item = PathBuf>) -> BTreeMap<String, Option<PywaReading>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/third_party/pywa_read.py");
    let output = Command::new(python).arg(script).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn compare(name: &str, record: &Record, reading: &PywaReading) {
    // An update of the account itself has the account as its id.
    let account = reading.account.as_deref().or(reading.id.as_deref());
    assert_eq!(account, Some(record.account_id.as_str()), "{name}");
    match &record.notification {
        Notification::Message(message) => compare_message(name, message, reading),
        Notification::Status(status) => {
            assert_eq!(
                (reading.id.as_deref(), reading.at),
                (Some(status.id.as_str()), Some(status.at.seconds())),
                "{name}"
            );
            assert_eq!(reading.status.as_deref(), Some(status.reported.as_str()), "{name}");
            assert_eq!(
                (reading.person(), &reading.tracker),
                (status.recipient.clone(), &status.callback_data),
                "{name}"
            );
        }
        Notification::Call(_) | Notification::CallStatus(_) => compare_call(name, &record.notification, reading),
        Notification::Preference(preference) => {
            assert_eq!(reading.preference.as_deref(), Some(preference.value.as_str()), "{name}");
            assert_eq!(
                (reading.person(), reading.at),
                (preference.person.clone(), Some(preference.at.seconds())),
                "{name}"
            );
        }
        Notification::UserIdChange(change) => {
            assert_eq!((&reading.wa_id, &reading.new_wa_id), (&change.previous_wa_id, &change.person.wa_id), "{name}");
            // pywa takes a new id only from the notification itself, which need not repeat it for a change of number.
            if reading.new_user_id.is_some() {
                assert_eq!(reading.new_user_id, change.person.user_id, "{name}");
            }
            assert_eq!(reading.at, Some(change.at.seconds()), "{name}");
            assert_eq!(reading.id, change.message_id, "{name}");
        }
        _ => compare_account(name, record, reading),
    }
}

fn compare_message(name: &str, message: &Message, reading: &PywaReading) {
    assert_eq!((reading.id.as_deref(), reading.at), (Some(message.id.as_str()), Some(message.at.seconds())), "{name}");
    // pywa takes no name from the contact of a system message.
    let known_as = message.from.name.clone().filter(|_| message.kind != "system");
    assert_eq!(reading.person(), Person { name: known_as, ..message.from.clone() }, "{name}");
    // pywa gives an edit the type of the edited message, and no type to unknown ones.
    match message.kind.as_str() {
        "edit" => assert_eq!(reading.kind.as_deref(), Some("text")),
        "hologram" => assert_eq!(reading.kind.as_deref(), Some("unknown")),
        kind => assert_eq!(reading.kind.as_deref(), Some(kind), "{name}"),
    }
    let answer = reading.response.as_ref().and_then(|response| response.as_str());
    assert_eq!(reading.text.as_deref().or(answer), message.text.as_deref(), "{name}");
    if reading.payload.is_some() {
        assert_eq!(reading.payload, message.payload, "{name}");
    }
    assert_eq!(reading.media_id.as_ref(), message.media.as_ref().map(|media| &media.id), "{name}");
    assert_eq!(reading.target, message.target, "{name}");
    let replied_to = message.context.as_ref().and_then(|context| context.id.clone());
    assert_eq!(reading.replied_to, replied_to, "{name}");
    assert_eq!(reading.error, message.error.as_ref().map(|error| error.code), "{name}");
}

fn compare_call(name: &str, notification: &Notification, reading: &PywaReading) {
    let word = |text: &Option<String>| text.clone().unwrap_or_default().to_ascii_lowercase();
    match notification {
        Notification::Call(call) => {
            assert_eq!(
                (reading.id.as_deref(), reading.at),
                (Some(call.id.as_str()), Some(call.at.seconds())),
                "{name}"
            );
            assert_eq!((reading.person(), reading.duration), (call.person.clone(), call.duration), "{name}");
            assert_eq!(word(&reading.event) == "connect", call.event == CallEventKind::Connect, "{name}");
            assert_eq!(
                word(&reading.direction) == "user_initiated",
                call.direction == CallDirection::Inbound,
                "{name}"
            );
            let outcome = call.outcome.map(|outcome| format!("{outcome:?}").to_ascii_lowercase()).unwrap_or_default();
            assert_eq!(
                (word(&reading.status), reading.error),
                (outcome, call.error.as_ref().map(|e| e.code)),
                "{name}"
            );
        }
        Notification::CallStatus(status) => {
            assert_eq!(
                (reading.id.as_deref(), reading.at),
                (Some(status.id.as_str()), Some(status.at.seconds())),
                "{name}"
            );
            assert_eq!(word(&reading.status), format!("{:?}", status.status).to_ascii_lowercase(), "{name}");
            assert_eq!(
                (reading.person(), &reading.tracker),
                (status.recipient.clone(), &status.callback_data),
                "{name}"
            );
        }
        other => panic!("{name}: {other:?}"),
    }
}

fn compare_account(name: &str, record: &Record, reading: &PywaReading) {
    assert_eq!(reading.at, record.at_entry.map(domain::Timestamp::seconds), "{name}");
    let template = |id: &str, title: &str, language: &str| {
        let members = ["template_id", "template_name", "template_language"].map(|member| reading.template(member));
        assert_eq!(members, [Some(id), Some(title), Some(language)], "{name}");
    };
    match &record.notification {
        Notification::TemplateStatus(status) => {
            template(&status.id, &status.name, &status.language);
            assert_eq!(reading.template("new_status"), Some(status.event.as_str()), "{name}");
        }
        Notification::TemplateQuality(quality) => {
            template(&quality.id, &quality.name, &quality.language);
            assert_eq!(reading.template("new_quality_score"), Some(quality.new.as_str()), "{name}");
            assert_eq!(reading.template("previous_quality_score"), quality.previous.as_deref(), "{name}");
        }
        Notification::TemplateCategory(category) => {
            template(&category.id, &category.name, &category.language);
            assert_eq!(reading.template("new_category"), Some(category.new.as_str()), "{name}");
            assert_eq!(reading.template("previous_category"), category.previous.as_deref(), "{name}");
            assert_eq!(reading.template("correct_category"), category.correct.as_deref(), "{name}");
        }
        Notification::Account(update) => assert_eq!(reading.event.as_deref(), Some(update.event.as_str()), "{name}"),
        other => panic!("{name}: {other:?}"),
    }
}
