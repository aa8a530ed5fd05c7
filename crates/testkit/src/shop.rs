//! A simulated website with sample files for templates, at `https://shop.example`. The type of a file follows from the
//! extension in its path. Requests to other hosts go through the address guard.
//!
//! Special names: `missing` is answered with 404, `page` with an HTML page, and `large` with a file of 5 MiB and one
//! byte, more than the network accepts of an image. The first request for `late` or `gone` is never answered; later
//! ones get the file for `late` and 404 for `gone`.

use std::collections::HashSet;
use std::sync::Arc;

use axum::http::{Request, Response};
use channels::guard::GuardedTransport;
use channels::transport::{Body, Transport, TransportError, empty, full};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

const HOST: &str = "shop.example";

#[derive(Debug)]
pub(crate) struct Shop {
    elsewhere: GuardedTransport,
    asked: Arc<Mutex<HashSet<String>>>,
}

impl Shop {
    /// All requested paths of `shop.example` are added to `asked`.
    pub(crate) const fn new(elsewhere: GuardedTransport, asked: Arc<Mutex<HashSet<String>>>) -> Self {
        Self { elsewhere, asked }
    }
}

impl Transport for Shop {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if request.uri().host() != Some(HOST) {
            return self.elsewhere.call(request);
        }
        let path = request.uri().path().to_owned();
        let first = self.asked.lock().insert(path.clone());
        Box::pin(async move {
            let name = path.trim_start_matches('/').split('.').next().unwrap_or_default();
            match name {
                "late" | "gone" if first => std::future::pending().await,
                "missing" | "gone" => Ok(answer(404, "text/plain", b"not here".to_vec())),
                "page" => Ok(answer(200, "application/octet-stream", b"<html><body>Hello</body></html>".to_vec())),
                _ => Ok(file(&path, name == "large")),
            }
        })
    }
}

/// The media type of this extension, and a file that begins like one of this type, filled up to `size` bytes.
pub fn sample_file(extension: &str, size: usize) -> Option<(&'static str, Vec<u8>)> {
    let (mime, beginning): (&str, &[u8]) = match extension {
        "jpg" => ("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01"),
        "png" => ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        "mp4" => ("video/mp4", b"\0\0\0\x18ftypisom\0\0\x02\0"),
        "pdf" => ("application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
        _ => return None,
    };
    let mut bytes = beginning.to_vec();
    bytes.resize(size.max(bytes.len()), 7);
    Some((mime, bytes))
}

fn file(path: &str, large: bool) -> Response<Body> {
    let extension = path.rsplit('.').next().unwrap_or_default();
    let size = if large { (5 << 20) + 1 } else { 1000 };
    match sample_file(extension, size) {
        // The media type is wrong on purpose: the content decides.
        Some((_, bytes)) if large => answer(200, "text/plain", bytes),
        Some((mime, bytes)) => answer(200, mime, bytes),
        None => answer(404, "text/plain", Vec::new()),
    }
}

fn answer(status: u16, mime: &'static str, bytes: Vec<u8>) -> Response<Body> {
    let response = Response::builder().status(status).header("content-type", mime);
    response.body(full(bytes)).unwrap_or_else(|_| Response::new(empty()))
}
