//! Importing and exporting contacts over the wire, on both databases.

use axum::body::{Body, Bytes};
use domain::identity::roles::Role;
use futures_util::stream;
use serde_json::{Value, json};
use store::{Statement, params};
use testkit::World;
use testkit::database::TestDb;
use testkit::world::{Answer, request};

const IMPORT: &str = "/api/ext/v3/contacts/import";
const IMPORTS: &str = "/api/ext/v3/contacts/imports";
const EXPORT: &str = "/api/ext/v3/contacts/export";

static LEFT: Statement = Statement::new(
    "test.left",
    "SELECT (SELECT COUNT(*) FROM imports WHERE tenant_id = $1) + (SELECT COUNT(*) FROM import_pieces WHERE tenant_id = $1)",
);

/// An application on a database of its own, whose imports no other test processes.
async fn app(test: TestDb) -> (World, String) {
    let app = World::on(TestDb::alone(test.db.engine()).await);
    let token = app.token(app.tenant(), &["api"]).await;
    (app, token)
}

async fn send(app: &World, token: &str, path: &str, mime: &str, body: impl Into<Body>) -> Answer {
    app.send(request("POST", path, Some(token)).header("content-type", mime).body(body.into()).unwrap()).await
}

/// Sends a file, runs the import and returns it.
async fn imported(app: &World, token: &str, path: &str, mime: &str, body: &str) -> Value {
    let queued = send(app, token, path, mime, body.to_owned()).await;
    assert_eq!(queued.status, 200, "{}", queued.text);
    assert_eq!(queued.json()["status"], "queued");
    app.app.people().process_imports(&|| false).await.unwrap();
    let id = queued.json()["id"].as_str().unwrap().to_owned();
    app.by(token).get(&format!("{IMPORTS}/{id}")).await.json()
}

fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"application/x-ndjson".parse().unwrap())
    );
    answer.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const CSV: &str = "phone,name,city\n14155552671,Ada,Bern\nletters,=cmd,\n14155552671,Ada,Bern\n";

testkit::both_databases! {
    async fn a_file_becomes_an_import_with_verdicts_and_rejected_rows(test) {
        let (app, token) = app(test).await;
        let import = imported(&app, &token, IMPORT, "text/csv; charset=utf-8", CSV).await;
        let id = import["id"].as_str().unwrap();
        let mut shown = import.clone();
        for member in ["id", "started_at", "finished_at"] {
            assert!(shown[member].is_string(), "{shown}");
            shown[member] = Value::Null;
        }
        let total = CSV.len();
        assert_eq!(
            shown,
            json!({
                "id": null, "status": "done", "format": "csv", "dry_run": false, "bytes_total": total,
                "bytes_done": total, "rows_done": 3, "created": 1, "updated": 0, "unchanged": 1, "rejected": 1,
                "consent_values": [], "error": null, "started_at": null, "finished_at": null
            })
        );
        assert_eq!(app.by(&token).get(IMPORTS).await.json(), json!({ "imports": [import] }));
        let verdicts = lines(&app.by(&token).get(&format!("{IMPORTS}/{id}/verdicts")).await);
        assert_eq!(verdicts[0], json!({"row": 2, "verdict": "created"}));
        assert_eq!((&verdicts[1]["verdict"], &verdicts[1]["column"]), (&json!("rejected"), &json!("phone")));
        assert_eq!(verdicts[2], json!({"row": 4, "verdict": "unchanged"}));
        let rejected = app.by(&token).get(&format!("{IMPORTS}/{id}/rejected")).await;
        assert_eq!(rejected.headers["content-type"], "text/csv; charset=utf-8");
        assert_eq!(rejected.headers["content-disposition"], format!("attachment; filename=\"rejected-{id}.csv\""));
        let expected = "error_row,error_column,error,phone,name,city\n\
            3,phone,\"expected a phone number with country code, such as 14155552671\",letters,'=cmd,\n";
        assert_eq!(rejected.text, expected);
        let contact = app.by(&token).get("/api/ext/v3/contacts/14155552671").await.json();
        assert_eq!((&contact["name"], &contact["source"]), (&json!("Ada"), &json!("IMPORT")));
        let audit = store::identity::audit::latest(&app.test.db, app.tenant(), 10).await.unwrap();
        let note = audit.iter().find(|entry| entry.action == "contacts.import").unwrap();
        assert!(note.actor.starts_with("token:") && note.request_id.is_some() && note.subject == id, "{note:?}");
    }

    async fn the_format_follows_from_type_name_parameter_or_first_byte(test) {
        let (app, token) = app(test).await;
        let line = "{\"phone\":\"14155552671\",\"name\":\"Ada\"}\n";
        for mime in ["application/x-ndjson", "application/jsonl", "application/json-lines", "text/plain"] {
            let import = imported(&app, &token, IMPORT, mime, line).await;
            assert_eq!((&import["format"], &import["status"], &import["rejected"]), (&json!("jsonl"), &json!("done"), &json!(0)), "{mime}");
        }
        let csv = imported(&app, &token, &format!("{IMPORT}?format=csv"), "application/x-ndjson", "phone\n14155552672\n").await;
        assert_eq!((&csv["format"], &csv["created"]), (&json!("csv"), &json!(1)));
        let form = |part: &str, text: &str| format!("--XX\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--XX\r\nContent-Disposition: form-data; {part}\r\n\r\n{text}\r\n--XX--\r\n");
        let mime = "multipart/form-data; boundary=XX";
        for (part, text, format) in [
            ("name=\"file\"; filename=\"x.csv\"", "phone,name\n14155552673,Eve", "csv"),
            ("name=\"file\"; filename=\"x.jsonl\"", line, "jsonl"),
            ("name=\"file\"; filename=\"x\"\r\nContent-Type: application/x-ndjson", line, "jsonl"),
            ("name=\"file\"", line, "jsonl"),
        ] {
            let import = imported(&app, &token, IMPORT, mime, &form(part, text)).await;
            assert_eq!((&import["format"], &import["rejected"], &import["error"]), (&json!(format), &json!(0), &Value::Null), "{part}");
            assert_eq!(import["bytes_total"], text.len());
        }
        assert_eq!(app.by(&token).get("/api/ext/v3/contacts/14155552673").await.json()["name"], "Eve");
        let none = send(&app, &token, IMPORT, mime, form("name=\"other\"", "x")).await;
        assert_eq!((none.status.as_u16(), none.json()["parameter"].as_str()), (400, Some("file")));
        assert_eq!(send(&app, &token, IMPORT, "image/png", "x").await.status, 415);
        let wrong = send(&app, &token, &format!("{IMPORT}?format=xls"), "text/csv", CSV).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["parameter"].as_str()), (400, Some("format")));
        let wrong = send(&app, &token, &format!("{IMPORT}?dry_run=maybe"), "text/csv", CSV).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["parameter"].as_str()), (400, Some("dry_run")));
    }

    async fn how_consent_is_read_is_reported_before_the_import(test) {
        let (app, token) = app(test).await;
        let csv = "phone,consent\n14155552671,no\n14155552672,yes\n14155552673,maybe\n14155552674,\n";
        let dry = imported(&app, &token, &format!("{IMPORT}?dry_run=true"), "text/csv", csv).await;
        let read = |value: &str, read_as: &str| json!({"value": value, "rows": 1, "read_as": read_as});
        let expected = [read("no", "opted_out"), read("yes", "opted_in"), read("maybe", "unknown"), read("", "empty")];
        assert_eq!(dry["consent_values"], json!(expected));
        // ["maybe"]
        let mapped = format!("{IMPORT}?opted_in_values=%5B%22maybe%22%5D");
        imported(&app, &token, &mapped, "text/csv", csv).await;
        for (phone, opted_in) in
            [("14155552671", false), ("14155552672", false), ("14155552673", true), ("14155552674", false)]
        {
            let contact = app.by(&token).get(&format!("/api/ext/v3/contacts/{phone}")).await.json();
            assert_eq!(contact["opted_in"], opted_in, "{phone}");
        }
        let wrong = send(&app, &token, &format!("{IMPORT}?opted_in_values=yes"), "text/csv", csv).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["parameter"].as_str()), (400, Some("opted_in_values")));
        // ["yes","NO"]
        let opting_out = format!("{IMPORT}?opted_in_values=%5B%22yes%22,%22NO%22%5D");
        let wrong = send(&app, &token, &opting_out, "text/csv", csv).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["parameter"].as_str()), (400, Some("opted_in_values[1]")));
    }

    async fn json_is_one_contact_as_for_the_other_route(test) {
        let (app, token) = app(test).await;
        let body = json!({"whatsapp_number": "14155552671", "name": "Ada"});
        let made = app.by(&token).post(IMPORT, &body).await;
        assert_eq!((made.status.as_u16(), &made.json()["name"]), (200, &json!("Ada")));
        assert_eq!(app.by(&token).post(IMPORT, &json!({"name": "Ada"})).await.status, 400);
        assert_eq!(app.by(&token).get(IMPORTS).await.json(), json!({"imports": []}));
    }

    async fn an_operator_sends_one_contact_and_no_file(test) {
        let (app, _) = app(test).await;
        app.account(app.tenant(), "grace@example.com", Role::Operator).await;
        let jwt = app.app.identity().tokens().legacy(&app::Command(app.tenant()), "grace@example.com").await.unwrap();
        let made = app.by(&jwt).post(IMPORT, &json!({"whatsapp_number": "14155552671", "name": "Ada"})).await;
        assert_eq!((made.status.as_u16(), &made.json()["name"]), (200, &json!("Ada")), "{}", made.text);
        for (mime, body) in [("text/csv", CSV), ("multipart/form-data; boundary=XX", "--XX--")] {
            let refused = send(&app, &jwt, IMPORT, mime, body).await;
            assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (403, "role_denied"), "{mime}");
        }
        let left = app.test.db.row(&LEFT, params![app.tenant()], store::read::<i64>).await.unwrap();
        assert_eq!(left, Some(0));
    }

    async fn a_dry_run_changes_nothing(test) {
        let (app, token) = app(test).await;
        let import = imported(&app, &token, &format!("{IMPORT}?dry_run=true"), "text/csv", CSV).await;
        assert_eq!((&import["dry_run"], &import["created"], &import["unchanged"]), (&json!(true), &json!(1), &json!(1)));
        assert_eq!(app.by(&token).get("/api/ext/v3/contacts/14155552671").await.status, 404);
    }

    async fn a_file_that_is_refused_says_why(test) {
        let (app, token) = app(test).await;
        let import = imported(&app, &token, IMPORT, "text/csv", "phone,city,city\n1,2,3\n").await;
        assert_eq!(import["status"], "failed");
        assert!(import["error"].as_str().unwrap().starts_with("row 1: columns 2 (city) and 3 (city) stand for the same field"));
    }

    async fn too_large_a_file_is_refused_and_leaves_nothing_behind(test) {
        let (app, token) = app(test).await;
        let chunk = Bytes::from(vec![b'1'; 4 << 20]);
        let chunks = std::iter::repeat_n(chunk, 26).map(Ok::<_, std::io::Error>);
        let answer = send(&app, &token, IMPORT, "text/csv", Body::from_stream(stream::iter(chunks))).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (413, "body_too_large"));
        let broken = [Ok(Bytes::from_static(b"phone\n")), Err(std::io::Error::other("gone"))];
        let answer = send(&app, &token, IMPORT, "text/csv", Body::from_stream(stream::iter(broken))).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (400, "invalid_body"));
        let left = app.test.db.row(&LEFT, params![app.tenant()], store::read::<i64>).await.unwrap();
        assert_eq!(left, Some(0));
    }

    async fn an_import_does_not_exist_in_another_tenant(test) {
        let (app, token) = app(test).await;
        let id = imported(&app, &token, IMPORT, "text/csv", CSV).await["id"].as_str().unwrap().to_owned();
        let other = app.test.new_tenant("unlimited").await;
        let theirs = app.token(other, &["api"]).await;
        for path in ["", "/verdicts", "/rejected"] {
            assert_eq!(app.by(&theirs).get(&format!("{IMPORTS}/{id}{path}")).await.status, 404);
            assert_eq!(app.by(&token).get(&format!("{IMPORTS}/nonsense{path}")).await.status, 404);
        }
        assert_eq!(app.by(&theirs).get(IMPORTS).await.json(), json!({"imports": []}));
        assert_eq!(lines(&app.by(&theirs).get(&format!("{EXPORT}?format=jsonl")).await).len(), 0);
    }

    async fn exports_are_files_with_the_filters_of_the_list(test) {
        let (app, token) = app(test).await;
        imported(&app, &token, IMPORT, "text/csv", "phone,name,city\n14155552671,Ada,Bern\n14155552672,=Bob,Berlin\n").await;
        let csv = app.by(&token).get(EXPORT).await;
        assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
        assert_eq!(csv.headers["content-disposition"], "attachment; filename=\"contacts.csv\"");
        let rows: Vec<&str> = csv.text.lines().collect();
        assert!(rows[0].starts_with("id,phone,bsuid,name,") && rows[0].ends_with(",city,custom_params"), "{}", rows[0]);
        assert!(rows[1].contains(",14155552671,") && rows[2].contains(",'=Bob,"), "{rows:?}");
        let names = async |query: &str| -> Vec<Value> {
            let path = format!("{EXPORT}?format=jsonl&{query}");
            lines(&app.by(&token).get(&path).await).into_iter().map(|line| line["name"].clone()).collect()
        };
        assert_eq!(names("").await, [json!("Ada"), json!("=Bob")]);
        assert_eq!(names("search=ada").await, [json!("Ada")]);
        let attribute = "attribute=%5B%7B%22name%22%3A%22city%22%2C%22operator%22%3A%22%3D%3D%22%2C%22value%22%3A%22Berlin%22%7D%5D";
        assert_eq!(names(attribute).await, [json!("=Bob")]);
        for (query, parameter) in [("format=xls", "format"), ("segment=none", "segment"), ("attribute=x", "attribute")] {
            let answer = app.by(&token).get(&format!("{EXPORT}?{query}")).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].as_str()), (400, Some(parameter)), "{}", answer.text);
        }
    }
}
