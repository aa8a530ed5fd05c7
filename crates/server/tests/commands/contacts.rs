use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::run::{Folder, members};

const CSV: &str = "phone,name,city\n14155552671,Ada,Bern\nletters,=cmd,\n14155552672,Bob,Berlin\n";
const IMPORT: &str = "contact import people.csv --tenant 100138";

fn folder() -> Folder {
    let folder = Folder::with_tenant();
    std::fs::write(folder.0.join("people.csv"), CSV).unwrap();
    folder
}

fn read(folder: &Folder, file: &str) -> String {
    std::fs::read_to_string(folder.0.join(file)).unwrap()
}

#[test]
fn an_import_reports_the_verdicts_on_its_rows() {
    let folder = folder();
    let dry = folder.json(&format!("{IMPORT} --dry-run"));
    assert_eq!((&dry["created"], &dry["dry_run"]), (&json!(2), &json!(true)));
    assert_eq!(folder.json("contact list --tenant 100138"), json!([]));
    let done = folder.json(&format!("{IMPORT} --rejected rejected.csv --verdicts verdicts.jsonl"));
    assert_eq!(
        members(&done),
        [
            "bytes_done",
            "bytes_total",
            "consent_values",
            "created",
            "dry_run",
            "first_rejected",
            "format",
            "id",
            "rejected",
            "resumed",
            "rows_done",
            "seconds",
            "status",
            "unchanged",
            "updated"
        ]
    );
    assert_eq!((&done["created"], &done["rejected"], &done["status"]), (&json!(2), &json!(1), &json!("done")));
    assert_eq!((&done["first_rejected"][0]["row"], &done["first_rejected"][0]["column"]), (&json!(3), &json!("phone")));
    let rejected = read(&folder, "rejected.csv");
    assert!(
        rejected.starts_with("error_row,error_column,error,phone,name,city\n3,phone,")
            && rejected.ends_with(",letters,'=cmd,\n"),
        "{rejected}"
    );
    assert_eq!(folder.0.join("rejected.csv").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let verdicts = read(&folder, "verdicts.jsonl");
    assert_eq!(
        serde_json::from_str::<Value>(verdicts.lines().next().unwrap()).unwrap(),
        json!({"row": 2, "verdict": "created"})
    );
    assert_eq!(verdicts.lines().count(), 3);

    let again = folder.run(IMPORT).ok();
    let mut lines = again.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("3 rows in ") && first.ends_with(": 0 created, 0 updated, 2 unchanged, 1 rejected"),
        "{again}"
    );
    assert!(lines.next().unwrap().starts_with("row 3, column phone: expected a phone number"), "{again}");
    assert!(lines.next().unwrap().starts_with("--rejected FILE writes these rows"), "{again}");
    let audit = folder.json("audit list --tenant 100138");
    assert_eq!((&audit[0]["action"], &audit[0]["actor"]), (&json!("contacts.import"), &json!("command")));
}

#[test]
fn an_import_shows_how_it_reads_the_values_of_consent() {
    let folder = folder();
    std::fs::write(folder.0.join("consent.csv"), "phone,Consent\n14155552673,no\n14155552674,Ja\n14155552675,eh\n")
        .unwrap();
    let import = "contact import consent.csv --tenant 100138 --dry-run";
    let read = folder.run(import).ok();
    for line in
        ["consent no: opted out (1 rows)", "consent Ja: opted in (1 rows)", "consent eh: not recognized, so opted out"]
    {
        assert!(read.contains(line), "{read}");
    }
    let read = folder.json(&format!("{import} --opted-in-values eh,ok"));
    let readings: Vec<&Value> = read["consent_values"].as_array().unwrap().iter().map(|one| &one["read_as"]).collect();
    assert_eq!(readings, ["opted_out", "unknown", "opted_in"]);
    let (kind, message) = folder.fails(1, &format!("{import} --opted-in-values eh,no"));
    assert_eq!(kind, "invalid");
    assert!(message.contains("opts out"), "{message}");
}

#[test]
fn standard_input_and_other_formats_are_read() {
    let folder = folder();
    let piped = folder.run_with("contact import - --tenant 100138 --json", "{\"phone\":\"14155552673\"}\n").ok();
    let piped: Value = serde_json::from_str(&piped).unwrap();
    assert_eq!((&piped["format"], &piped["created"]), (&json!("jsonl"), &json!(1)));
    std::fs::write(folder.0.join("odd.txt"), "phone\n14155552674\n").unwrap();
    assert_eq!(folder.json("contact import odd.txt --tenant 100138")["format"], "csv");
    let said = folder.json("contact import odd.txt --tenant 100138 --format jsonl");
    assert_eq!((&said["format"], &said["rejected"]), (&json!("jsonl"), &json!(2)));
}

#[test]
fn invalid_rows_are_rejected_with_their_position() {
    let folder = folder();
    std::fs::write(folder.0.join("twice.csv"), "phone,city,city\n1,2,3\n").unwrap();
    let (kind, message) = folder.fails(1, "contact import twice.csv --tenant 100138");
    assert_eq!(kind, "invalid");
    assert!(message.starts_with("file: row 1: columns 2 (city) and 3 (city) stand for the same field"), "{message}");
    std::fs::write(folder.0.join("wide.csv"), b"\xff\xfep\0").unwrap();
    assert!(folder.fails(1, "contact import wide.csv --tenant 100138").1.starts_with("file: the file is UTF-16"));
    assert!(folder.fails(1, "contact import none.csv --tenant 100138").1.starts_with("cannot read none.csv: "));
    assert!(folder.fails(1, "contact import . --tenant 100138").1.ends_with("it is a folder"));
    assert_eq!(folder.fails(1, "contact import people.csv --tenant 7").0, "not_found");
    assert_eq!(folder.fails(2, &format!("{IMPORT} --format xls")).0, "usage");
    assert!(folder.fails(1, &format!("{IMPORT} --rejected people.csv")).1.contains("is the file being imported"));
    assert_eq!(read(&folder, "people.csv"), CSV);
}

#[test]
fn an_export_is_a_private_file_that_another_tenant_can_import() {
    let folder = folder();
    folder.run(IMPORT).ok();
    folder.run("tenant create --id 100139 --name Other").ok();
    let saved = folder.json("contact export --tenant 100138 --output out.jsonl");
    assert_eq!(saved, json!({"file": "out.jsonl", "format": "jsonl", "contacts": 2}));
    assert_eq!(folder.0.join("out.jsonl").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!folder.0.join("out.jsonl.part").exists());
    assert!(folder.fails(1, "contact export --tenant 100138 --output out.jsonl").1.ends_with("or add --replace"));
    assert_eq!(folder.json("contact import out.jsonl --tenant 100139")["created"], 2);
    let csv = folder.run("contact export --tenant 100139 --search ada");
    assert!(
        csv.ok().starts_with("id,phone,bsuid,name,") && csv.stderr.contains("1 contacts exported"),
        "{}",
        csv.stderr
    );
    assert_eq!(csv.stdout.lines().count(), 2);
    let berlin = r#"[{"name":"city","operator":"==","value":"Berlin"}]"#;
    let some = folder.run(&format!("contact export --tenant 100139 --format jsonl --attribute {berlin}"));
    assert_eq!(serde_json::from_str::<Value>(&some.ok()).unwrap()["name"], "Bob");
    assert_eq!(folder.fails(2, "contact export --tenant 100138 --attribute x").0, "usage");
    assert_eq!(folder.fails(1, "contact export --tenant 100138 --segment none").0, "invalid");
}

#[test]
fn contacts_are_listed_shown_merged_and_deleted() {
    let folder = folder();
    folder.run(IMPORT).ok();
    let listed = folder.json("contact list --tenant 100138");
    assert_eq!((&listed[0]["name"], &listed[1]["name"]), (&json!("Bob"), &json!("Ada")));
    assert_eq!(folder.json("contact list --tenant 100138 --limit 1").as_array().unwrap().len(), 1);
    assert!(folder.run("contact list --tenant 100138 --search ada").ok().starts_with("ID "), "a table");
    let ada = folder.json("contact show +14155552671 --tenant 100138");
    assert_eq!(ada, listed[1]);
    assert!(folder.run("contact show 14155552671 --tenant 100138").ok().contains("attribute city"));
    let (kind, message) = folder.fails(1, "contact show 14155550000 --tenant 100138");
    assert!(kind == "not_found" && message.contains("`switchboard contact list"), "{message}");

    let merged = folder.json("contact merge 14155552671 14155552672 --tenant 100138");
    assert_eq!(merged["contact_id"], ada["id"]);
    let history = folder.json("contact history 14155552672 --tenant 100138");
    assert_eq!((&history["contact_id"], &history["merges"][0]["id"]), (&ada["id"], &merged["merge_id"]));
    assert!(folder.run("contact history 14155552672 --tenant 100138").ok().contains("known by phone"));
    let merge = merged["merge_id"].as_str().unwrap();
    let two = folder.json(&format!("contact unmerge {merge} --tenant 100138"));
    assert_eq!(two["contact_ids"], json!([ada["id"], listed[0]["id"]]));
    assert_eq!(
        folder.json("contact delete 14155552671 --tenant 100138 --yes"),
        json!({"contact_id": ada["id"], "deleted": true, "cleanup_completed": true})
    );
    assert_eq!(folder.fails(1, "contact delete 14155552671 --tenant 100138 --yes").0, "not_found");
    let audit = folder.json("audit list --tenant 100138");
    let actions: Vec<_> = audit.as_array().unwrap().iter().take(3).map(|one| one["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["contact.delete", "contact.unmerge", "contact.merge"]);
}
