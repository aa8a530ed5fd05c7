//! Mutation fuzzer over raw bytes: for any body the parser neither panics nor multiplies its size, and every record
//! parses again from its envelope. Each case depends on its number alone.
#![expect(clippy::print_stdout, reason = "the case that failed, and how many there were")]

use std::ops::Range;
use std::time::Instant;

use channels::webhook::{MAX_RECORDS, Notification, Record, parse};
use serde_json::{Map, Value};

const SEED: u64 = 0x5eed_0f5a_11bb_0a4d;

/// Bytes that each record may add to the size of all envelopes: it repeats account, number and contact, which are
/// bounded.
const PER_RECORD: usize = 16 * 1024;

/// JSON fragments that parsers often mishandle.
const ODD: [&str; 22] = [
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "-0.0",
    "18446744073709551616",
    "9007199254740993",
    "\"\"",
    "[]",
    "{}",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\udfff\\ud800\"",
    "\\",
    "\"",
    ",",
    ":",
    "\u{0}",
    "\u{feff}",
    "\"id\":\"x\",",
    "\\u0000",
];

const NAMES: [&str; 26] = [
    "id",
    "from",
    "timestamp",
    "type",
    "text",
    "body",
    "messages",
    "statuses",
    "calls",
    "errors",
    "contacts",
    "wa_id",
    "user_id",
    "status",
    "event",
    "direction",
    "payment",
    "reference_id",
    "context",
    "metadata",
    "phone_number_id",
    "entry",
    "changes",
    "field",
    "value",
    "system",
];

/// SplitMix64: small, seeded, the same everywhere.
struct Dice(u64);

impl Dice {
    fn for_case(case: u64) -> Self {
        Self(SEED ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn range(&mut self, length: usize, longest: usize) -> Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(longest)).min(length)
    }
}

/// Prints the number and the body of the case when it panics.
struct Case<'a> {
    number: u64,
    body: &'a [u8],
}

impl Drop for Case<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("case {}: {}", self.number, String::from_utf8_lossy(self.body));
        }
    }
}

fn samples() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    // Without indentation, so that mutations hit JSON and not spaces.
    let compact =
        |path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap().to_string().into_bytes();
    files.into_iter().map(compact).collect()
}

/// Makes the body of a case. One in four has broken bytes; the others are mostly JSON with wrong content.
fn case(number: u64, samples: &[Vec<u8>]) -> Vec<u8> {
    let dice = &mut Dice::for_case(number);
    let mut body = dice.pick(samples).clone();
    let broken = dice.below(4) == 0;
    for _ in 0..=dice.below(3) {
        body = match dice.below(4) {
            0 | 1 if broken => mutate_bytes(dice, body, samples),
            2 if broken => mutate_text(dice, body),
            _ => mutate_structure(dice, &body),
        };
    }
    if dice.below(8) == 0 { mutate_text(dice, body) } else { body }
}

fn mutate_bytes(dice: &mut Dice, mut body: Vec<u8>, samples: &[Vec<u8>]) -> Vec<u8> {
    match dice.below(6) {
        0 => {
            let at = dice.below(body.len());
            if let Some(byte) = body.get_mut(at) {
                *byte ^= 1 << dice.below(8);
            }
        }
        1 => body.truncate(dice.below(body.len() + 1)),
        2 => {
            let gone = dice.range(body.len(), 40);
            body.drain(gone);
        }
        3 => {
            let twice = dice.range(body.len(), 200);
            let copy = body[twice.clone()].to_vec();
            body.splice(twice.end..twice.end, copy);
        }
        4 => {
            let other = dice.pick(samples);
            body.truncate(dice.below(body.len() + 1));
            body.extend_from_slice(&other[dice.below(other.len())..]);
        }
        _ => {
            let place = dice.range(body.len(), 4);
            body.splice(place, dice.pick(&ODD).bytes());
        }
    }
    body
}

/// Replaces pieces of the text: text for numbers, numbers for text, deep nesting, repeated members. The result is still
/// mostly JSON.
fn mutate_text(dice: &mut Dice, body: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(body) else { return b"{}".to_vec() };
    let colons: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
    let Some(at) = colons.get(dice.below(colons.len())).copied() else { return text.into_bytes() };
    let (before, after) = text.split_at(at);
    match dice.below(4) {
        0 => {
            let length = after.find([',', '}']).unwrap_or(after.len());
            let (value, rest) = after.split_at(length);
            let swapped =
                if value.starts_with('"') { value.trim_matches('"').to_owned() } else { format!("\"{value}\"") };
            format!("{before}{swapped}{rest}").into_bytes()
        }
        1 => {
            let (open, close) = *dice.pick(&[("[", "]"), ("{\"a\":", "}")]);
            let depth = [1, 60, 70, 130, 400][dice.below(5)];
            format!("{before}{}0{},\"b\":{after}", open.repeat(depth), close.repeat(depth)).into_bytes()
        }
        2 => format!("{before}{},\"{}\":{after}", dice.pick(&ODD), dice.pick(&NAMES)).into_bytes(),
        _ => format!("{before}{}{after}", dice.pick(&ODD)).into_bytes(),
    }
}

/// Changes one value inside of the JSON; the result stays JSON.
fn mutate_structure(dice: &mut Dice, body: &[u8]) -> Vec<u8> {
    let mut value = serde_json::from_slice(body).unwrap_or_else(|_| anything(dice, 0));
    let steps = 2 + dice.below(12);
    walk(dice, &mut value, 0, steps);
    value.to_string().into_bytes()
}

fn walk(dice: &mut Dice, place: &mut Value, depth: usize, steps: usize) {
    let children: Vec<&mut Value> = match place {
        Value::Array(list) if depth < steps => list.iter_mut().collect(),
        Value::Object(members) if depth < steps => members.values_mut().collect(),
        _ => Vec::new(),
    };
    let (inner, leaves): (Vec<_>, Vec<_>) =
        children.into_iter().partition(|child| child.is_object() || child.is_array());
    // Prefers values deep inside, because few values are near the top.
    let leaf = dice.below(if depth < 4 { 30 } else { 3 }) == 0;
    let mut chosen = if inner.is_empty() || leaf { leaves } else { inner };
    if chosen.is_empty() {
        return change(dice, place);
    }
    let index = dice.below(chosen.len());
    walk(dice, chosen.swap_remove(index), depth + 1, steps);
}

fn change(dice: &mut Dice, place: &mut Value) {
    match place {
        Value::Array(list) if dice.below(3) > 0 => {
            let copies = list.clone();
            let times = if dice.below(50) == 0 { 20 } else { dice.below(2) };
            (0..times).for_each(|_| list.extend(copies.iter().take(5).cloned()));
            list.push(anything(dice, 0));
        }
        Value::Object(members) if dice.below(3) > 0 => {
            let gone = members.keys().nth(dice.below(members.len() + 1)).cloned();
            gone.and_then(|name| members.remove(&name));
            members.insert((*dice.pick(&NAMES)).to_owned(), anything(dice, 0));
        }
        other => *other = anything(dice, 0),
    }
}

/// A random JSON value.
fn anything(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth > 4 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => Value::Bool(dice.below(2) == 0),
        2 => Value::from(dice.roll().cast_signed() >> dice.below(64)),
        3 => Value::from(1_776_160_000 + dice.below(100_000)),
        4 => Value::from(*dice.pick(&[
            "",
            "0",
            "text",
            "sent",
            "1776160861",
            "US.1",
            "\u{0}",
            "é👍",
            "connect",
            "payment",
        ])),
        5 => Value::from("x".repeat([1, 511, 512, 513, 3000][dice.below(5)])),
        6 => Value::Array((0..dice.below(5)).map(|_| anything(dice, depth + 1)).collect()),
        _ => {
            let members = (0..dice.below(6)).map(|_| ((*dice.pick(&NAMES)).to_owned(), anything(dice, depth + 1)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

/// Counts of the outcomes, to notice a fuzzer whose cases are all refused.
#[derive(Debug, Default)]
struct Tally {
    unreadable: u64,
    read: u64,
    unknown: u64,
    poison: u64,
}

fn check(body: &[u8], tally: &mut Tally) {
    let Ok(records) = parse(body) else {
        tally.unreadable += 1;
        return;
    };
    assert!(records.len() <= MAX_RECORDS);
    for record in &records {
        match &record.notification {
            Notification::Unknown => tally.unknown += 1,
            Notification::Poison { reason } => {
                assert!(reason.len() < 300 && !reason.contains('\0'));
                tally.poison += 1;
            }
            Notification::Message(message) => {
                assert!(
                    ![&message.text, &message.payload, &message.from.name]
                        .into_iter()
                        .flatten()
                        .any(|t| t.contains('\0'))
                );
                assert!(message.content.len() <= body.len() * 6 + 2);
                tally.read += 1;
            }
            _ => tally.read += 1,
        }
        check_envelope(record, body.len());
    }
}

fn check_envelope(record: &Record, length: usize) {
    let envelope = record.envelope();
    assert!(envelope.len() <= length * 2 + PER_RECORD, "{} bytes out of {length}", envelope.len());
    let again = parse(envelope.as_bytes()).unwrap();
    assert_eq!(again.len(), 1, "{envelope}");
    let (Notification::Poison { reason }, Notification::Poison { reason: before }) =
        (&again[0].notification, &record.notification)
    else {
        assert_eq!(&again[0], record, "{envelope}");
        return;
    };
    // Only the end of the reason is compared: its path refers to the envelope.
    assert_eq!(reason.rsplit(": ").next(), before.rsplit(": ").next(), "{envelope}");
    assert_eq!(again[0].envelope(), envelope);
}

#[test]
fn any_body_is_parsed_or_refused() {
    let long = std::env::var_os("SWITCHBOARD_TEST_LONG").is_some();
    let cases: u64 = if long { 10_000_000 } else { 100_000 };
    let samples = samples();
    let threads = u64::try_from(std::thread::available_parallelism().unwrap().get()).unwrap();
    let start = Instant::now();
    let run = |first: u64| {
        let mut tally = Tally::default();
        for number in (first..cases).step_by(usize::try_from(threads).unwrap()) {
            let body = case(number, &samples);
            let _case = Case { number, body: &body };
            check(&body, &mut tally);
        }
        tally
    };
    let total = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..threads).map(|first| scope.spawn(move || run(first))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).fold(Tally::default(), |sum, one| Tally {
            unreadable: sum.unreadable + one.unreadable,
            read: sum.read + one.read,
            unknown: sum.unknown + one.unknown,
            poison: sum.poison + one.poison,
        })
    });
    println!("{cases} cases on {threads} threads in {:.1} s: {total:?}", start.elapsed().as_secs_f64());
    assert!(total.read > cases / 10 && total.poison > cases / 20 && total.unreadable > cases / 20, "{total:?}");
}
