//! Labelled requests: the precision and recall of the rules. The rules were tuned with `tuned.jsonl`; `held_out.jsonl`
//! was not used for them.

use std::collections::BTreeMap;

use domain::messaging::clicks::{ClickClass, Request, classify};

const TUNED: &str = include_str!("tuned.jsonl");
const HELD_OUT: &str = include_str!("held_out.jsonl");
const LEAST: f64 = 0.98;
/// The classes of a request without its history.
const CLASSES: [ClickClass; 4] = [ClickClass::Human, ClickClass::Preview, ClickClass::Prefetch, ClickClass::Scanner];

#[derive(serde::Deserialize)]
struct Labelled {
    label: String,
    method: String,
    headers: BTreeMap<String, String>,
    note: String,
}

impl Labelled {
    fn class(&self) -> ClickClass {
        self.label.parse().unwrap()
    }

    fn found(&self) -> ClickClass {
        let request = Request::new(&self.method, |name| self.headers.get(name).map(String::as_bytes));
        // A rescoring has only the stored part of the request.
        let stored = Request::parse(request.method(), &request.headers_json()).unwrap();
        assert_eq!(classify(&stored), classify(&request), "{}", self.note);
        classify(&request)
    }
}

fn read(lines: &str) -> Vec<Labelled> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Precision is the share of correct ones among the requests that the rules put into the class; recall is the share of
/// these among all requests that belong to the class.
#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn precision_and_recall(requests: &[Labelled], class: ClickClass) -> (f64, f64) {
    let count = |wanted: &dyn Fn(&Labelled) -> bool| requests.iter().filter(|one| wanted(one)).count() as f64;
    let right = count(&|one| one.found() == class && one.class() == class);
    (right / count(&|one| one.found() == class), right / count(&|one| one.class() == class))
}

fn assert_precision_and_recall(name: &str, requests: &[Labelled], classes: &[ClickClass]) {
    let wrong: Vec<String> = requests
        .iter()
        .filter(|one| one.found() != one.class())
        .map(|one| format!("{}: {} is called {}", one.note, one.label, one.found()))
        .collect();
    for class in classes {
        let (precision, recall) = precision_and_recall(requests, *class);
        let right = precision >= LEAST && recall >= LEAST;
        assert!(right, "{name}, {class}: precision {precision:.3}, recall {recall:.3}\n{}", wrong.join("\n"));
    }
}

#[test]
fn people_are_separated_from_programs() {
    assert_precision_and_recall("tuned", &read(TUNED), &[ClickClass::Human]);
    assert_precision_and_recall("held out", &read(HELD_OUT), &[ClickClass::Human]);
}

#[test]
fn programs_are_separated_by_class() {
    assert_precision_and_recall("tuned", &read(TUNED), &CLASSES);
    let all: Vec<Labelled> = read(TUNED).into_iter().chain(read(HELD_OUT)).collect();
    assert_precision_and_recall("all", &all, &CLASSES);
}

#[test]
fn both_halves_are_different_and_of_every_kind() {
    let (one, other) = (read(TUNED), read(HELD_OUT));
    assert!(one.len() >= 100 && other.len() >= 100);
    let key = |one: &Labelled| (one.method.clone(), one.headers.clone());
    let same: Vec<&str> =
        one.iter().filter(|a| other.iter().any(|b| key(a) == key(b))).map(|a| a.note.as_str()).collect();
    assert!(same.is_empty(), "{same:?}");
    for half in [&one, &other] {
        for class in CLASSES {
            assert!(half.iter().filter(|one| one.class() == class).count() >= 7, "{class}");
        }
        assert!(half.iter().filter(|one| one.method == "HEAD").count() >= 5);
    }
}
