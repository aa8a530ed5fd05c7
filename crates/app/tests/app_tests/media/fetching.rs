//! Files from URLs: a real server on this machine, which only an application with the matching setting may reach.

use std::net::SocketAddr;

use app::{App, Cause, Command};
use testkit::database::TestDb;
use testkit::outgoing::use_up;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::media::world::{app_on, bytes_of, left, noise, refusal};

const HERE: &[&str] = &["127.0.0.0/8"];

/// The raw HTTP answer to each path.
fn page(path: &str) -> Vec<u8> {
    let answer = |status: &str, headers: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\n{headers}Connection: close\r\n");
        [head.as_bytes(), format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    };
    let raw = |head: &str, body: &[u8]| [head.as_bytes(), body].concat();
    match path {
        "/R%C3%A4ume%201.pdf?version=2" => answer("200 OK", "Content-Type: application/pdf\r\n", &noise(700_000)),
        "/named" => answer(
            "200 OK",
            "Content-Type: image/png\r\nContent-Disposition: attachment; filename=\"a/b/c.png\"\r\n",
            b"png",
        ),
        "/untyped.mp4" => answer("200 OK", "", b"0123456789abcdef"),
        "/page.html" => answer("200 OK", "Content-Type: text/html\r\n", b"<html>"),
        "/empty.pdf" => answer("200 OK", "", b""),
        "/elsewhere" => answer("302 Found", "Location: http://169.254.169.254/latest/meta-data\r\n", b""),
        "/packed.pdf" => answer("200 OK", "Content-Encoding: gzip\r\n", b"\x1f\x8b"),
        "/broken.pdf" => raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"%PDF-"),
        "/announced.jpg" => raw("HTTP/1.1 200 OK\r\nContent-Length: 5242881\r\n\r\n", b""),
        "/unannounced.jpg" => raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &vec![1; 5_242_881]),
        "/no-http" => b"hello\r\n\r\n".to_vec(),
        _ => answer("404 Not Found", "Content-Type: application/pdf\r\n", b"%PDF-"),
    }
}

async fn answer_one(mut socket: TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && socket.read_buf(&mut head).await.is_ok_and(|read| read > 0) {}
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    // The client may close the connection before it has read everything.
    let _ = socket.write_all(&page(path)).await;
}

async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(answer_one(socket));
        }
    });
    address
}

async fn refused(app: &App, test: &TestDb, url: &str) -> (Cause, String) {
    let (reason, parameter, message) = refusal(app.messaging().media().fetch(&Command(test.tenant), url).await);
    assert_eq!(parameter, "file_url");
    assert_eq!(left(&test.db, test.tenant).await, 0, "{url}");
    (reason, message)
}

testkit::both_databases! {
    async fn a_file_is_fetched_with_a_connection_of_its_tenant(test) {
        let (app, address) = (app_on(&test, HERE), server().await);
        let url = format!("http://{address}/named");
        let used_up = use_up(app.outgoing(), test.tenant);
        let (_, message) = refused(&app, &test, &url).await;
        assert!(message.contains("connections"), "{message}");
        drop(used_up);
        app.messaging().media().fetch(&Command(test.tenant), &url).await.unwrap();
    }

    async fn a_file_is_fetched_with_its_type_and_name(test) {
        let (app, address, me) = (app_on(&test, HERE), server().await, Command(test.tenant));
        for (path, mime, name, bytes) in [
            ("Räume 1.pdf?version=2#page=3", "application/pdf", "Räume 1.pdf", noise(700_000)),
            ("named", "image/png", "c.png", b"png".to_vec()),
            ("untyped.mp4", "video/mp4", "untyped.mp4", b"0123456789abcdef".to_vec()),
        ] {
            let file = app.messaging().media().fetch(&me, &format!(" http://{address}/{path} ")).await.unwrap();
            assert_eq!((file.mime, file.shown_name.as_str(), file.size), (mime, name, bytes.len() as u64));
            assert!(bytes_of(app.messaging().media().open_named(&me, &file.file_name).await.unwrap()).await == bytes);
        }
    }

    async fn an_answer_that_is_no_acceptable_file_is_refused(test) {
        let (app, address) = (app_on(&test, HERE), server().await);
        for (path, reason, said) in [
            ("missing.pdf", Cause::UrlRefused, "the URL returned HTTP 404"),
            ("elsewhere", Cause::UrlRefused, "the URL redirects elsewhere (HTTP 302); give the final URL"),
            ("packed.pdf", Cause::UrlRefused, "the response is compressed, but no compression was requested"),
            ("broken.pdf", Cause::UrlRefused, "the download was cut off"),
            ("no-http", Cause::UrlRefused, "the host did not respond, or not in time"),
            ("page.html", Cause::MediaRefused, "the network does not accept files of type text/html; it accepts"),
            ("empty.pdf", Cause::MediaRefused, "the file is empty"),
            ("announced.jpg", Cause::MediaRefused, "the file is too large: the network accepts at most 5242880 bytes for an image"),
            ("unannounced.jpg", Cause::MediaRefused, "the file is too large: the network accepts at most 5242880 bytes for an image"),
        ] {
            let (found, message) = refused(&app, &test, &format!("http://{address}/{path}")).await;
            assert!(found == reason && message.starts_with(said), "{path}: {found:?} {message}");
        }
    }

    async fn private_addresses_are_not_requested(test) {
        let (app, address) = (app_on(&test, &[]), server().await);
        let port = address.port();
        for (url, said) in [
            (format!("http://{address}/named"), "only https:// addresses may be called"),
            (format!("https://{address}/named"), "the address is not public"),
            (format!("https://localhost:{port}/named"), "the host has no public address"),
            ("https://2130706433/named".to_owned(), "the address is not public"),
            ("https://[::1]/named".to_owned(), "the address is not public"),
            ("https://169.254.169.254/latest/meta-data".to_owned(), "the address is not public"),
            ("file:///etc/passwd".to_owned(), "only http:// and https:// URLs can be fetched"),
            ("ftp://example.com/a.pdf".to_owned(), "only http:// and https:// URLs can be fetched"),
            ("data:text/plain,hello".to_owned(), "only http:// and https:// URLs can be fetched"),
            ("https://me:secret@example.com/a.pdf".to_owned(), "an address may not carry a user name or password"),
            ("a.pdf".to_owned(), "expected a URL such as https://example.com/plan.pdf"),
            (String::new(), "expected a URL such as https://example.com/plan.pdf"),
            (format!("https://example.com/{}", "a".repeat(9000)), "the URL is too long"),
        ] {
            assert_eq!(refused(&app, &test, &url).await, (Cause::UrlRefused, said.to_owned()), "{url}");
        }
    }
}

#[tokio::test]
async fn an_error_of_the_connection_says_nothing_about_our_network() {
    let test = TestDb::sqlite().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (reason, message) = refused(&app_on(&test, HERE), &test, &format!("http://127.0.0.1:{port}/a.pdf")).await;
    assert_eq!((reason, message.as_str()), (Cause::UrlRefused, "the host cannot be reached"));
}
