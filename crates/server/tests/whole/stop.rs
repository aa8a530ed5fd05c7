//! SIGTERM: requests in flight are answered, new connections are refused, and the process exits with success.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::home::Home;
use crate::server::Server;

const TIMEOUT: Duration = Duration::from_secs(10);
const CALL: &str = r#"{"call_id": "while-stopping", "direction": "inbound", "from_number": "14155552671",
    "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z"}"#;

/// A request in flight: the server has read the head and waits for the body.
fn begin(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let (token, length) = (server.token(), CALL.len());
    let head = format!(
        "POST /api/ext/v3/calls HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nexpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[test]
fn a_request_in_flight_is_answered_and_no_other_is_taken() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let mut stream = begin(&server);
    server.send_sigterm();
    let began = Instant::now();
    while TcpStream::connect(server.address).is_ok() {
        assert!(began.elapsed() < TIMEOUT, "connections are still taken");
    }
    stream.write_all(CALL.as_bytes()).unwrap();
    let answer = std::io::read_to_string(stream).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("while-stopping"), "{answer}");
    let (status, log) = server.wait();
    assert!(status.success(), "{status}: {log}");
}

#[test]
fn an_endless_request_does_not_delay_the_stop() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_SERVER_SHUTDOWN_SECONDS", "1")]);
    let _stream = begin(&server);
    let (status, log) = server.terminate();
    assert!(status.success() && log.contains("did not finish in time"), "{status}: {log}");
}

#[test]
fn an_idle_connection_does_not_delay_the_stop() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_SERVER_SHUTDOWN_SECONDS", "60")]);
    let mut idle = TcpStream::connect(server.address).unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut first = [0; 15];
    idle.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    assert!(server.terminate().0.success());
}
