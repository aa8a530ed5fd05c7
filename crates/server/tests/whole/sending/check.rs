//! Compares the state of each message with what the network accepted.

use std::collections::BTreeMap;

use domain::messaging::messages::MessageState;
use domain::{BroadcastId, MessageId};
use sandbox::PhoneMessageView;
use store::{Db, Statement, params};

use super::callers::Callers;
use super::world::{phone, position, show};
use crate::http;
use crate::inbound::TENANT;

/// Maximum number of unknown messages that are checked through the API.
const SHOWN: usize = 20;

/// Number of messages by outcome.
#[derive(Debug, Default, Clone, Copy)]
pub struct Figures {
    pub taken: usize,
    /// Accepted although the connection was cut before the answer; resolved by a report. Without those of killed
    /// servers.
    pub resolved: usize,
    /// Not accepted, with an unknown outcome.
    pub unknown: usize,
    pub failed: usize,
}

/// A message in Switchboard.
#[derive(Debug, Clone)]
struct Ours {
    id: MessageId,
    state: MessageState,
    network_id: Option<String>,
    error: Option<String>,
    broadcast: Option<BroadcastId>,
}

/// A message at the network.
#[derive(Debug)]
struct Theirs {
    id: String,
    callback_data: Option<String>,
    has_failed: bool,
}

/// Outbound messages in Switchboard by the name that the client gave them; `None`: no client sent them.
async fn ours(db: &Db) -> BTreeMap<Option<String>, Vec<Ours>> {
    static OURS: Statement = Statement::new(
        "test.ours",
        "SELECT local_id, id, state, network_id, error, broadcast_id FROM messages
         WHERE tenant_id = $1 AND direction = 'outbound'",
    );
    let row = |row: &store::Row<'_>| {
        let (name, id, state, network_id, error, broadcast): (_, _, String, _, _, _) = store::read(row)?;
        Ok((name, Ours { id, state: state.parse().unwrap(), network_id, error, broadcast }))
    };
    gathered(db.rows(&OURS, params![TENANT], row).await.unwrap())
}

/// Messages at the network by the position of the person.
async fn theirs(db: &Db) -> BTreeMap<i64, Vec<Theirs>> {
    static THEIRS: Statement = Statement::new(
        "test.theirs",
        "SELECT person, id, doc FROM sandbox_messages WHERE tenant_id = $1 AND NOT from_person",
    );
    let row = |row: &store::Row<'_>| {
        let (person, id, document): (_, _, String) = store::read(row)?;
        let shown: PhoneMessageView = serde_json::from_str(&document).unwrap();
        Ok((person, Theirs { id, callback_data: shown.callback_data, has_failed: shown.error.is_some() }))
    };
    gathered(db.rows(&THEIRS, params![TENANT], row).await.unwrap())
}

fn gathered<K: Ord, V>(rows: Vec<(K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut all = BTreeMap::<K, Vec<V>>::new();
    for (key, value) in rows {
        all.entry(key).or_default().push(value);
    }
    all
}

/// Checks that nothing was sent twice, nothing was lost, and the network has none of the unknown messages.
pub async fn check(callers: &Callers<'_>) -> Figures {
    let (ours, theirs) = (ours(callers.db).await, theirs(callers.db).await);
    let (story, mut figures, mut wrong, mut counts) = (callers.story, Figures::default(), Vec::new(), Vec::new());
    for (number, call) in story.calls.iter().enumerate() {
        let broadcast: BroadcastId =
            callers.answers.lock().unwrap()[&number]["broadcast_id"].as_str().unwrap().parse().unwrap();
        let mut states = Vec::new();
        for person in call.people.clone() {
            let name = story.name_of(person);
            let rows = ours.get(&Some(name.clone())).map_or(&[][..], Vec::as_slice);
            let taken = theirs.get(&position(person)).map_or(&[][..], Vec::as_slice);
            match rows {
                [one] if one.broadcast == Some(broadcast) => {
                    wrong.extend(
                        judged(one, taken, &mut figures).map(|what| format!("{name}: {what}: {one:?} {taken:?}")),
                    );
                    states.push((person, one.state));
                }
                rows => wrong.push(format!("{name}: accepted once in {broadcast}, stored as {rows:?}")),
            }
        }
        counts.push((broadcast, states));
    }
    wrong.extend(ours.get(&None).into_iter().flatten().map(|one| format!("no client sent {one:?}")));
    let strangers = theirs.keys().filter(|place| !(position(0)..position(story.people)).contains(*place));
    wrong.extend(strangers.map(|place| format!("a stranger at {place} got a message")));
    assert!(wrong.is_empty(), "seed {}: {} are wrong: {:#?}", story.seed, wrong.len(), &wrong[..wrong.len().min(10)]);
    check_shown(callers, &counts).await;
    figures
}

/// Compares a message with those that the network has for its person, and counts it; returns what is wrong, if
/// anything.
fn judged(ours: &Ours, taken: &[Theirs], figures: &mut Figures) -> Option<&'static str> {
    let [taken] = taken else {
        if !taken.is_empty() {
            return Some("SENT TWICE");
        }
        return match (ours.state, &ours.error) {
            (MessageState::Unknown, _) => {
                figures.unknown += 1;
                None
            }
            (MessageState::Failed | MessageState::Expired, Some(_)) => {
                figures.failed += 1;
                None
            }
            _ => Some("LOST"),
        };
    };
    figures.taken += 1;
    figures.resolved += usize::from(ours.error.is_some() && !taken.has_failed);
    let expected = if taken.has_failed { MessageState::Failed } else { MessageState::Read };
    match () {
        () if ours.state != expected => Some("its reports were not believed"),
        () if ours.network_id.as_ref() != Some(&taken.id) => Some("it has another id of the network"),
        () if taken.callback_data != Some(ours.id.to_string()) => Some("it carries another id"),
        () => None,
    }
}

/// Checks through the API that the counts of each broadcast match its messages, and that unknown messages have the
/// status `unknown`.
async fn check_shown(callers: &Callers<'_>, counts: &[(BroadcastId, Vec<(usize, MessageState)>)]) {
    let (client, seed) = (http(), callers.story.seed);
    for (broadcast, states) in counts {
        let url = callers.nodes.url(0, &format!("/api/ext/v3/broadcasts/{broadcast}"));
        let statistics = show(&client, &url, callers.token).await["statistics"].clone();
        let count = |member: &str| usize::try_from(statistics[member].as_i64().unwrap()).unwrap();
        let of = |which: &[MessageState]| states.iter().filter(|(_, state)| which.contains(state)).count();
        let found = ["total_recipients", "total_read", "total_failed", "total_unknown", "total_sending"].map(count);
        let expected = [
            states.len(),
            of(&[MessageState::Read]),
            of(&[MessageState::Failed, MessageState::Expired]),
            of(&[MessageState::Unknown]),
            0,
        ];
        assert_eq!(found, expected, "seed {seed}: {broadcast}: {statistics}");
        // Sent, delivered, read and replied are cumulative, so only sent is added up.
        let apart = [
            "total_pending",
            "total_queued",
            "total_sending",
            "total_unknown",
            "total_sent",
            "total_failed",
            "total_stopped",
        ];
        let failed_after_sent = states.len().abs_diff(apart.map(count).iter().sum());
        assert!(failed_after_sent <= count("total_failed"), "seed {seed}: {statistics}");
        let steps = ["total_sent", "total_delivered", "total_read", "total_replied"].map(count);
        assert!(steps.is_sorted_by(|earlier, later| earlier >= later), "seed {seed}: {statistics}");
    }
    let unknown = counts.iter().flat_map(|(_, states)| states).filter(|(_, state)| *state == MessageState::Unknown);
    for (person, _) in unknown.take(SHOWN) {
        let url = callers.nodes.url(0, &format!("/api/ext/v3/conversations/{}/messages", phone(*person)));
        let history = show(&client, &url, callers.token).await;
        let name = callers.story.name_of(*person);
        let shown =
            history["message_list"].as_array().unwrap().iter().find(|one| one["local_message_id"] == name.as_str());
        assert_eq!(shown.unwrap()["status"], "unknown", "seed {seed}: {history}");
    }
}
