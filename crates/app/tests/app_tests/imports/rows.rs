//! Results of single rows.

use app::people::imports::LocalFile;
use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::CustomParam;
use serde_json::json;
use testkit::World;

use crate::imports::world::{Imports as _, local, phone};

/// Imports a text, and returns row, column and reason of each rejected row.
async fn rejects(world: &World, text: impl AsRef<[u8]>) -> Vec<(i64, String, String)> {
    let import = world.import(text).await;
    let verdicts = world.verdicts(import.id).await;
    let rejected: Vec<_> = verdicts.iter().filter(|verdict| verdict["verdict"] == "rejected").collect();
    assert_eq!(i64::try_from(rejected.len()).unwrap(), import.counts.rejected);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    rejected.iter().map(|one| (one["row"].as_i64().unwrap(), text(&one["column"]), text(&one["reason"]))).collect()
}

fn param(name: &str, value: &str) -> CustomParam {
    CustomParam { name: name.to_owned(), value: value.to_owned() }
}

testkit::both_databases! {
    async fn rows_create_and_change_contacts(world = World::new) {
        let text = "Phone,NAME,city,opted_in,allow_sms,teams\n\
            +1 (415) 555-2671,Ada,Bern,no,,Sales;Support\n\
            5511 8765-4321,,,,false,\n";
        let import = world.import(text).await;
        assert_eq!((import.counts.rows, import.counts.created), (2, 2));
        let ada = world.contact_with("14155552671").await;
        assert_eq!((ada.name.as_str(), ada.source.as_str(), ada.param("city")), ("Ada", "IMPORT", Some("Bern")));
        assert_eq!((ada.consent.opted_in, ada.consent.source.as_deref()), (false, Some("IMPORT")));
        assert_eq!(ada.teams.iter().map(|team| team.name.as_str()).collect::<Vec<_>>(), ["Sales", "Support"]);
        assert!(!world.contact_with("5511987654321").await.allow_sms);
        let history = world.app.people().contacts().history(&world.me(), "14155552671").await.unwrap();
        assert_eq!(history.consents.iter().map(|one| one.change.as_str()).collect::<Vec<_>>(), ["opt_out"]);

        world.advance(60);
        let again = "whatsapp_number,name,city,tier,opted_in,teams\n14155552671,,Zürich,gold,true,support\n";
        let import = world.import(again).await;
        assert_eq!((import.counts.created, import.counts.updated), (0, 1));
        let changed = world.contact_with("14155552671").await;
        assert_eq!((changed.id, changed.name.as_str()), (ada.id, "Ada"), "an empty cell changes nothing");
        assert_eq!(changed.custom_params, [param("city", "Zürich"), param("tier", "gold")]);
        assert!(changed.consent.opted_in && changed.updated_at > ada.updated_at);
        assert_eq!(changed.teams, [ada.teams[1].clone()]);
        world.advance(60);
        world.import("phone,city\n14155552671,Genf\n").await;
        assert!(world.contact_with("14155552671").await.updated_at > changed.updated_at);
        let audit = store::identity::audit::latest(&world.test.db, world.tenant(), 10).await.unwrap();
        assert_eq!((audit.len(), audit[0].action.as_str()), (3, "contacts.import"));
    }

    async fn only_a_clear_yes_in_the_consent_column_opts_in(world = World::new) {
        let text = "phone,Consent\n14155552671,no\n14155552672,Yes\n14155552673,maybe\n14155552674,\n14155552675,YES\n";
        let import = world.import(text).await;
        let found: Vec<_> = import.consent.found().map(|(one, read)| (one.value.as_str(), one.rows, read.name())).collect();
        let expected = [("no", 1, "opted_out"), ("Yes", 2, "opted_in"), ("maybe", 1, "unknown"), ("", 1, "empty")];
        assert_eq!((import.counts.created, found), (5, expected.to_vec()));
        for (phone, opted_in) in
            [("14155552671", false), ("14155552672", true), ("14155552673", false), ("14155552674", false)]
        {
            let contact = world.contact_with(phone).await;
            assert_eq!((contact.consent.opted_in, contact.param("Consent")), (opted_in, None), "{phone}");
        }
        let text = "phone,opted_in\n14155552671,ja\n14155552672,\n14155552675,perhaps\n";
        let consent = ConsentColumn::opting_in(Some(&["Ja".to_owned()])).unwrap();
        let file = LocalFile { consent, ..local(text) };
        let import = world.run(world.tenant(), file, usize::MAX).await.unwrap().import;
        assert_eq!((import.counts.updated, import.counts.unchanged), (2, 1));
        let mut consents = Vec::new();
        for phone in ["14155552671", "14155552672", "14155552675"] {
            consents.push(world.contact_with(phone).await.consent.opted_in);
        }
        assert_eq!(consents, [true, true, false], "an empty cell keeps what a contact has");
        let import = world.import("phone,Newsletter\n14155552678,no\n").await;
        assert_eq!((import.counts.created, import.consent.found().count()), (1, 1));
        assert!(!world.contact_with("14155552678").await.consent.opted_in, "a common name of the column");
        let lines = "{\"phone\":\"14155552676\",\"consent\":false}\n{\"phone\":\"14155552677\",\"opted_in\":null}\n";
        assert_eq!(world.import(lines).await.consent.found().count(), 2);
        assert!(!world.contact_with("14155552676").await.consent.opted_in);
        assert!(!world.contact_with("14155552677").await.consent.opted_in);
    }

    async fn json_lines_give_the_same_contacts(world = World::new) {
        let text = "\u{feff}{\"phone\":\"14155552671\",\"name\":\"Ada\",\"teams\":[\"Sales\"],\"custom_params\":{\"city\":\"Bern\",\"age\":42}}\n\n\
            {\"whatsapp_number\":14155552672,\"opted_in\":false,\"custom_params\":[{\"name\":\"=x\",\"value\":\"-1\"}]}\r\n\
            {\"bsuid\":\"DE.7\",\"name\":null,\"id\":\"ignored\"}";
        let import = world.import(text).await;
        assert_eq!((import.format.as_str(), import.counts.rows, import.counts.created), ("jsonl", 4, 3));
        let ada = world.contact_with("14155552671").await;
        assert_eq!((ada.param("city"), ada.param("age"), ada.teams.len()), (Some("Bern"), Some("42"), 1));
        assert_eq!(world.contact_with("14155552672").await.param("=x"), Some("-1"));
        let rows: Vec<_> = world.verdicts(import.id).await.iter().map(|one| one["row"].clone()).collect();
        assert_eq!(rows, [json!(1), json!(3), json!(4)], "an empty line counts, and has no verdict");
    }

    async fn invalid_rows_are_rejected_with_row_and_column(world = World::new) {
        let mut text = b"phone,bsuid,name,city,opted_in,custom_params\n\
            14155552671,,Fine,,,\n\
            11111111111,,,,,\n\
            1415555x671,,,,,\n\
            ,,Nobody,,,\n\
            14155552672,us.1,,,,\n\
            14155552672,,,,,7\n\
            14155552672,,,,,{\n\
            14155552672,,,Bern,,\"{\"\"city\"\":\"\"x\"\"}\"\n\
            14155552672,,few\n\
            14155552672,,many,,,,,\n\
            14155552672,,Andr\xe9,,,\n\
            14155552672,,,\"not closed,,\n\
            14155552673,,\"x\"y,,,\n\
            ".to_vec();
        text.extend(format!("14155552674,,{},,,\n", "n".repeat(257)).bytes());
        text.extend(format!("14155552675,,,{},,\n", "c".repeat(4097)).bytes());
        text.extend(b"14155552676,,Last,,,");
        let found = rejects(&world, text).await;
        let expected = [
            (3, "phone", "11111111111 is not a valid phone number in any country"),
            (4, "phone", "expected a phone number with country code"),
            (5, "", "a phone number or a BSUID is required"),
            (6, "bsuid", "expected a BSUID such as"),
            (7, "custom_params", "invalid type"),
            (8, "custom_params", "is not valid JSON at character"),
            (9, "custom_params", "\"city\" appears twice"),
            (10, "", "too few cells: 3, where the header has 6"),
            (11, "", "too many cells: 8, where the header has 6"),
            (12, "name", "is not UTF-8"),
            (13, "city", "there is text after the closing quote"),
            (14, "name", "there is text after the closing quote"),
            (15, "name", "257 characters, at most 256"),
            (16, "city", "expected at most 4096 characters"),
        ];
        for (found, (row, column, reason)) in found.iter().zip(expected) {
            assert_eq!((found.0, found.1.as_str()), (row, column), "{found:?}");
            assert!(found.2.starts_with(reason), "{found:?}");
        }
        assert_eq!(found.len(), expected.len());
        let mut phones: Vec<_> = world.contacts().await.into_iter().filter_map(|contact| contact.phone).collect();
        phones.sort();
        assert_eq!(phones, ["14155552671", "14155552676"]);
    }

    async fn bad_lines_of_json_are_rejected_with_row_and_member(world = World::new) {
        let text = "{\"phone\":\"14155552671\"}\nnot json\n{\"phone\":\"14155552672\"\n{\"phone\":\"1\"}\n\
            {\"phone\":\"14155552672\",\"city\":\"x\"}\n{\"phone\":\"14155552672\",\"name\":\"a\\u0000b\"}\n\
            {\"phone\":\"14155552672\",\"teams\":[\"a\\u0000b\"]}\n{\"phone\":\"14155552672\",\"custom_params\":{\"a\\u0000\":\"x\"}}\n[]\n";
        let found: Vec<_> = rejects(&world, text).await.into_iter().map(|(row, column, _)| (row, column)).collect();
        let expected = [(2, ""), (3, ""), (4, "phone"), (5, "city"), (6, "name"), (7, "teams"), (8, "custom_params.a\u{fffd}"), (9, "")];
        assert_eq!(found, expected.map(|(row, column)| (row, column.to_owned())));
        assert_eq!(world.contacts().await.len(), 1);
    }

    async fn a_quote_that_is_never_closed_costs_one_row(world = World::new) {
        // The rows after the quote are longer than one row may be.
        let rows: usize = 6000;
        let others = format!("14155550002,{}\n", "e".repeat(200)).repeat(rows);
        let text = format!("phone,name\n14155550001,\"never closed\n{others}");
        let mut file = local(&text);
        file.batch_rows = None;
        let import = world.run(world.tenant(), file, usize::MAX).await.unwrap().import;
        assert_eq!((import.counts.rejected, import.counts.created), (1, 1));
        assert_eq!(import.counts.unchanged, i64::try_from(rows).unwrap() - 1);
        let rejected = world.verdicts(import.id).await[0].clone();
        assert_eq!((&rejected["row"], &rejected["column"]), (&json!(2), &json!("name")));
        let reason = "a quote starts here but is not closed within the 1048576 bytes a row may have";
        assert_eq!(rejected["reason"], reason);
        assert_eq!(world.rejected(import.id).await.lines().nth(1).unwrap().split(',').nth(3), Some("14155550001"));
    }

    async fn a_line_that_is_too_long_is_rejected(world = World::new) {
        let text = format!("phone,name\n14155550001,{}\n14155550002,Ada\n", "x".repeat(3 << 20));
        let import = world.import(text).await;
        assert_eq!((import.counts.rejected, import.counts.created), (1, 1));
        assert_eq!(import.bytes_done, import.bytes_total);
        assert_eq!(world.verdicts(import.id).await[0]["reason"], "longer than 1048576 bytes");
        let json = format!("{{\"phone\":\"14155550003\",\"name\":\"{}\"}}\n{{\"phone\":\"14155550004\"}}", "x".repeat(3 << 20));
        let import = world.import(json).await;
        assert_eq!((import.counts.rejected, import.counts.created, import.bytes_done), (1, 1, import.bytes_total));
    }

    async fn the_same_file_twice_changes_nothing(world = World::new) {
        let text = "phone,bsuid,name,city,teams,opted_in,allow_broadcast\n14155552671,,Ada,Bern,Sales,true,false\n,DE.7,Bob,,a\\;b,false,\n14155552673,DE.8,Eve,,,,\n";
        world.import(text).await;
        let before = world.contacts().await;
        world.advance(60);
        let import = world.import(text).await;
        assert_eq!((import.counts.unchanged, import.counts.rows), (3, 3));
        assert_eq!(world.contacts().await, before);
    }

    async fn a_number_twice_in_one_file_is_one_contact_and_the_later_row_counts(world = World::new) {
        let pair = |n: usize| format!("14155552671,Ada {n},\n{},other,\n", phone(n));
        let pairs: String = (0..9).map(pair).collect();
        let import = world.import(format!("phone,name,city\n{pairs}14155552671,,Bern\n14155552671,,Bern\n")).await;
        assert_eq!((import.counts.created, import.counts.updated, import.counts.unchanged), (10, 9, 1));
        let ada = world.contact_with("14155552671").await;
        assert_eq!((ada.name.as_str(), ada.param("city")), ("Ada 8", Some("Bern")));
    }

    async fn numbers_and_bsuids_find_one_contact_or_none(world = World::new) {
        world.import("phone,bsuid,name\n14155552671,,Ada\n,DE.7,Bob\n").await;
        let import = world.import("phone,bsuid,name\n14155552671,DE.7,\n14155552672,DE.7,\n14155552671,DE.8,\n").await;
        assert_eq!((import.counts.rejected, import.counts.updated), (1, 2));
        let rejected = &world.verdicts(import.id).await[0];
        assert_eq!((&rejected["row"], &rejected["column"]), (&json!(2), &json!("phone")));
        assert!(rejected["reason"].as_str().unwrap().contains("merge them, or leave out one of the two"));
        let bob = world.contact_with("14155552672").await;
        assert_eq!(bob.name, "Bob", "a BSUID gets its number");
        let ada = world.contact_with("14155552671").await;
        let known = world.app.people().contacts().history(&world.me(), "DE.8").await.unwrap();
        assert_eq!(known.contact.id, ada.id, "a number gets the BSUID of the network");
        assert_eq!(known.contact.bsuid, ada.bsuid);
        // From now on the number or the BSUID alone finds each contact.
        let again = world.import("phone,bsuid,name\n14155552672,DE.7,\n14155552671,DE.8,\n").await;
        assert_eq!(again.counts.unchanged, 2);
    }

    async fn attributes_may_not_grow_beyond_what_a_contact_may_have(world = World::new) {
        let columns: Vec<String> = (0..150).map(|n| format!("a{n}")).collect();
        world.import(format!("phone,{}\n14155552671{}\n", columns.join(","), ",x".repeat(150))).await;
        let others: Vec<String> = (0..60).map(|n| format!("b{n}")).collect();
        let import = world.import(format!("phone,name,{}\n14155552671,New{}\n", others.join(","), ",x".repeat(60))).await;
        assert_eq!(world.verdicts(import.id).await[0]["reason"], "210 entries, at most 200");
        assert_eq!(world.contact_with("14155552671").await.name, "", "nothing of a rejected row is taken");
    }

    async fn rejected_rows_are_a_file_to_correct_and_import(world = World::new) {
        let text = "phone,name,city\n14155552671,Ada,Bern\nletters,=cmd|calc,\"a,\"\"b\"\"\"\n123,few\n";
        let import = world.import(text).await;
        let rejected = world.rejected(import.id).await;
        let expected = "error_row,error_column,error,phone,name,city\n\
            3,phone,\"expected a phone number with country code, such as 14155552671\",letters,'=cmd|calc,\"a,\"\"b\"\"\"\n\
            4,,\"too few cells: 2, where the header has 3\",123,few\n";
        assert_eq!(rejected, expected);
        let mended = rejected.replace("letters", "14155552672").replace("123,few", "14155552673,few,");
        let import = world.import(&mended).await;
        assert_eq!((import.counts.created, import.counts.rejected), (2, 0));
        assert_eq!(world.contact_with("14155552672").await.name, "=cmd|calc");
        // A second import of the corrected file does not duplicate the error columns.
        let import = world.import(mended.replace("14155552673", "x")).await;
        let header = world.rejected(import.id).await.lines().next().unwrap().to_owned();
        assert_eq!(header, "error_row,error_column,error,phone,name,city");

        let import = world.import("{\"phone\":\"1\",\"name\":\"x\"}\nno json\n").await;
        let lines: Vec<serde_json::Value> =
            world.rejected(import.id).await.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&lines[0]["error_row"], &lines[0]["error_column"], &lines[0]["name"]), (&json!(1), &json!("phone"), &json!("x")));
        assert_eq!(lines[1]["line"], "no json");
    }
}
