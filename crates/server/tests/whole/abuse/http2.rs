//! A client of HTTP/2 that never gives its streams a window: it asks, and takes nothing.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const SETTINGS: u8 = 4;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const END_OF_STREAM_AND_HEADERS: u8 = 5;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A connection that has begun; the window of its streams is zero.
pub async fn connect(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let begin = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0])].concat();
    stream.write_all(&begin).await.unwrap();
    stream
}

fn literal(text: &str) -> Vec<u8> {
    [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
}

/// A GET on a stream of the connection. Header fields are literal, by the indexes of the static table: `:method GET`,
/// `:scheme http`, `:path`, `:authority`, `authorization`.
pub async fn get(connection: &mut TcpStream, stream: u32, path: &str, token: &str) {
    let credential = format!("Bearer {token}");
    assert!(path.len() < 127 && credential.len() < 127, "longer texts need another encoding");
    let fields = [
        vec![0x82, 0x86, 0x04],
        literal(path),
        vec![0x01],
        literal("localhost"),
        vec![0x0f, 0x08],
        literal(&credential),
    ];
    connection.write_all(&frame(HEADERS, END_OF_STREAM_AND_HEADERS, stream, &fields.concat())).await.unwrap();
}

/// Reads until `count` streams were reset, or the server closes the connection; returns the number of resets.
pub async fn resets(connection: &mut TcpStream, count: usize) -> usize {
    let mut resets = 0;
    while resets < count {
        let mut head = [0_u8; 9];
        if connection.read_exact(&mut head).await.is_err() {
            break;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        if connection.read_exact(&mut payload).await.is_err() {
            break;
        }
        resets += usize::from(head[3] == RESET);
    }
    resets
}
