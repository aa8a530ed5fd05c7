//! Sending files that are uploaded in a form or fetched from a URL.

use std::net::SocketAddr;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::sending::normalize::golden;
use crate::sending::world::{ADA, BEN, FILE, FILE_VIA_URL, Stage as _, form, peopled, reaching};

/// Starts a server that answers every request with a small document.
async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = [0; 1024];
            let _ = socket.read(&mut head).await;
            let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 8\r\nConnection: close\r\n\r\n%PDF-1.7";
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    address
}

testkit::both_databases! {
    async fn a_file_in_a_form_arrives_wherever_it_stands_in_it(stage = peopled) {
        // The file is the first part of the form; the person's number comes after it.
        let (mime, body) = form(&[("target", ADA), ("caption", "The plan")], Some(("file", "../plan.pdf", "application/pdf", b"%PDF-1.7")));
        let sent = stage.raw("POST", FILE, &mime, body).await.json();
        golden!("file", sent.clone());
        assert_eq!(stage.last(ADA).await.text, "The plan");
        let got = stage.get(&format!("{FILE}/{}", sent["message"]["id"].as_str().unwrap())).await;
        assert_eq!((got.text.as_str(), got.headers["content-type"].to_str().unwrap()), ("%PDF-1.7", "application/pdf"));
        let (mime, body) = form(&[], Some(("file", "note.ogg", "audio/ogg; codecs=opus", b"OggS....")));
        let path = stage.v1(&format!("sendSessionFile/{ADA}?caption=not%20shown"));
        let sent = stage.raw("POST", &path, &mime, body).await.json();
        golden!("file_v1", sent);
        assert_eq!(stage.inbox(ADA).await.len(), 2);
    }

    async fn a_large_file_is_held_in_pieces(stage = peopled) {
        let large = vec![b'x'; 3 << 20];
        let (mime, body) = form(&[("target", ADA)], Some(("file", "large.txt", "text/plain", &large)));
        let sent = stage.raw("POST", FILE, &mime, body).await.json();
        let got = stage.get(&format!("{FILE}/{}", sent["message"]["id"].as_str().unwrap())).await;
        assert!(got.text.as_bytes() == large.as_slice());
        assert_eq!(stage.inbox(ADA).await.len(), 1);
    }

    async fn a_file_is_fetched_and_sent(test) {
        let stage = reaching(test.db.engine(), &["127.0.0.0/8"]).await;
        stage.people().await;
        let url = format!("http://{}/plan.pdf", server().await);
        let sent = stage.good(FILE_VIA_URL, &json!({"target": ADA, "file_url": url, "caption": "From the web"})).await;
        assert_eq!((sent["message"]["type"].as_str(), stage.last(ADA).await.text.as_str()), (Some("document"), "From the web"));
        let path = stage.v1(&format!("sendSessionFileViaUrl/{ADA}"));
        let sent = stage.bare(&format!("{path}?fileUrl={url}&caption=V1")).await.json();
        assert_eq!((sent["message"]["type"].as_str(), stage.last(ADA).await.text.as_str()), (Some("document"), "V1"), "{sent}");
        let direct = json!({"text": "Direct", "media": {"url": url}});
        assert_eq!(stage.good(&stage.v1(&format!("sendDirectSendMessage/{ADA}")), &direct).await["ok"], true);
        assert_eq!(stage.last(ADA).await.text, "Direct");
    }

    async fn nothing_is_left_of_a_file_that_is_not_sent(test) {
        let stage = reaching(test.db.engine(), &["127.0.0.0/8"]).await;
        stage.people().await;
        let url = format!("http://{}/plan.pdf", server().await);
        let refused = stage.post(FILE_VIA_URL, &json!({"target": BEN, "file_url": url})).await;
        assert_eq!(refused.reason(), "window_closed");
        for texts in [vec![("target", BEN)], vec![], vec![("target", ADA), ("dry_run", "perhaps")], vec![("target", "x")]] {
            let (mime, body) = form(&texts, Some(("file", "a.txt", "text/plain", &vec![b'x'; 300_000])));
            assert_eq!(stage.raw("POST", FILE, &mime, body).await.status, 400, "{texts:?}");
        }
        let (mime, body) = form(&[], Some(("file", "a.txt", "text/plain", b"x")));
        let answer = stage.raw("POST", &stage.v1(&format!("sendSessionFile/{BEN}")), &mime, body).await;
        assert_eq!(answer.json()["info"], "Ticket has been expired.");
        assert_eq!(stage.stored().await, 0);
    }
}
