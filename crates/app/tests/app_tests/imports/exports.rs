//! Exporting contacts, and importing the exports again.

use std::fmt::Write as _;

use app::people::imports::Format;
use domain::people::contacts::{Condition, ContactFilter};
use testkit::World;

use crate::imports::world::{Imports as _, local, people, phone};

/// The export without ids and times, which differ between installations.
fn without_ids_and_times(csv: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let kept = |i: usize| !["id", "parent_bsuid", "created", "last_updated"].contains(&&rows[0][i]);
    let line = |row: &csv::StringRecord| {
        format!("{:?}\n", row.iter().enumerate().filter(|(i, _)| kept(*i)).map(|(_, c)| c).collect::<Vec<_>>())
    };
    rows.iter().map(line).collect()
}

fn json_without(lines: &str) -> Vec<serde_json::Value> {
    let line = |line: &str| {
        let mut object: serde_json::Value = serde_json::from_str(line).unwrap();
        for member in ["id", "parent_bsuid", "created", "last_updated"] {
            object[member] = serde_json::Value::Null;
        }
        object
    };
    lines.lines().map(line).collect()
}

const NASTY: &str = r#"{"phone":"14155552671","name":"=cmd|' /C calc'!A1","teams":["a;b","c\\d","Sales"],"custom_params":[{"name":"z","value":"+1"},{"name":"phone","value":"@x"},{"name":"attribute.x","value":"\tx"},{"name":"=n","value":"'=kept"}]}
{"phone":"5511987654321","name":"Ana, \"la\" two\u00a0lines","opted_in":false,"allow_broadcast":false,"custom_params":{"note":"one\ntwo\r\nthree","empty":"","plus":"'+1"}}
{"bsuid":"DE.7","name":" blanks ","allow_sms":false,"custom_params":{"Note":"other case"," x ":"blanks","z":"\ufeff=1"}}
{"phone":"14155552672","custom_params":{"note":"\n=1","z":"＝1"}}
"#;

testkit::both_databases! {
    async fn a_round_trip_changes_nothing(world = World::new) {
        world.import(NASTY).await;
        for format in [Format::Csv, Format::Jsonl] {
            let first = world.export(world.tenant(), format).await;
            let other = world.test.new_tenant("unlimited").await;
            let import = world.import_into(other, &first).await;
            assert_eq!((import.counts.created, import.counts.rejected), (4, 0), "{first}");
            let second = world.export(other, format).await;
            match format {
                Format::Csv => assert_eq!(without_ids_and_times(&first), without_ids_and_times(&second)),
                Format::Jsonl => assert_eq!(json_without(&first), json_without(&second)),
            }
            assert_eq!(first.len(), second.len(), "byte for byte, but for what was left out");
            // Importing the export into its own tenant changes nothing.
            let again = world.import(&first).await;
            assert_eq!(again.counts.unchanged, 4);
        }
    }

    async fn no_cell_begins_like_a_formula(world = World::new) {
        world.import(NASTY).await;
        let csv = world.export(world.tenant(), Format::Csv).await;
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
        let mut cells = 0;
        for row in reader.records() {
            for cell in &row.unwrap() {
                let begin = cell.trim_start_matches('\u{feff}');
                assert!(!begin.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝']), "{cell:?}");
                cells += 1;
            }
        }
        assert!(cells > 100);
        let header = csv.lines().next().unwrap();
        let attributes = ",last_updated,attribute. x ,'=n,Note,attribute.attribute.x,note,attribute.phone,plus,z,custom_params";
        assert!(header.ends_with(attributes), "{header}");
    }

    async fn filters_are_those_of_the_lists_and_pages_are_joined(world = World::new) {
        let odd = |(n, row): (usize, &str)| format!("{row},{}\n", if n == 0 || n % 2 == 0 { "odd" } else { "" });
        let text: String = people(2500).lines().enumerate().map(odd).collect();
        let mut file = local(text);
        file.batch_rows = None;
        world.run(world.tenant(), file, usize::MAX).await.unwrap();
        let phones = |text: String| -> Vec<String> {
            let phone = |line: &str| json_of(line)["phone"].as_str().unwrap().to_owned();
            text.lines().map(phone).collect()
        };
        let is = |value: &str| Condition { name: "city".into(), operator: "==".parse().unwrap(), value: value.into() };
        let has = |name: &str| Condition { name: name.into(), operator: "exist".parse().unwrap(), value: String::new() };
        let not = Condition { name: "tier".into(), operator: "!=".parse().unwrap(), value: "0".into() };
        let numbered = |keep: &dyn Fn(usize) -> bool| (0..2500).filter(|n| keep(*n)).map(phone).collect::<Vec<_>>();
        for (filter, keep) in [
            (ContactFilter::default(), &(|_| true) as &dyn Fn(usize) -> bool),
            (ContactFilter { search: Some("555012".to_owned()), ..ContactFilter::default() }, &|n| phone(n).contains("555012")),
            (ContactFilter { conditions: vec![is("city 3")], ..ContactFilter::default() }, &|n| n % 7 == 3),
            (ContactFilter { conditions: vec![not], ..ContactFilter::default() }, &|n| n % 3 != 0),
            (ContactFilter { groups: vec![vec![is("city 1")], vec![is("city 2")]], ..ContactFilter::default() }, &|n| [1, 2].contains(&(n % 7))),
            (ContactFilter { groups: vec![vec![has("city")], vec![has("odd")]], ..ContactFilter::default() }, &|_| true),
        ] {
            let text = world.export_some(world.tenant(), &filter, Format::Jsonl).await;
            assert_eq!(phones(text), numbered(keep), "oldest first: {filter:?}");
        }
        let csv = world.export(world.tenant(), Format::Csv).await;
        assert_eq!(csv.lines().count(), 2501);
        let empty = world.test.new_tenant("unlimited").await;
        assert_eq!(world.export(empty, Format::Jsonl).await, "");
    }

    /// Several chunks of each export wait for its reader, so they are small, whatever the size of a contact.
    async fn the_chunks_of_an_export_are_small(world = World::new) {
        let note = "x".repeat(4000);
        let mut file = String::from("phone,name,first,second\n");
        for n in 0..300 {
            writeln!(file, "{},Person {n},{note},{note}", phone(n)).unwrap();
        }
        world.import(file).await;
        for format in [Format::Csv, Format::Jsonl] {
            let (send, mut receive) = tokio::sync::mpsc::channel::<Vec<u8>>(1);
            let export = async {
                let (contacts, filter) = (world.app.people().contacts(), ContactFilter::default());
                let count = contacts.export(&world.me(), &filter, format, &send).await;
                drop(send);
                count
            };
            let read = async {
                let (mut bytes, mut largest) = (0, 0);
                while let Some(chunk) = receive.recv().await {
                    bytes += chunk.len();
                    largest = largest.max(chunk.capacity());
                }
                (bytes, largest)
            };
            let (count, (bytes, largest)) = tokio::join!(export, read);
            assert_eq!(count.unwrap(), 300);
            assert!(bytes > 300 * 8000 && largest <= 64 << 10, "{bytes} bytes, {largest} in a chunk");
        }
    }

    async fn an_export_ends_when_its_reader_is_gone(world = World::new) {
        let mut file = local(people(1500));
        file.batch_rows = None;
        world.run(world.tenant(), file, usize::MAX).await.unwrap();
        let (send, receive) = tokio::sync::mpsc::channel(1);
        drop(receive);
        world.app.people().contacts().export(&world.me(), &ContactFilter::default(), Format::Csv, &send).await.unwrap();
    }
}

fn json_of(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap()
}
