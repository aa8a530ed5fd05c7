//! Fetches a file from a URL of the client. The URL is not trusted: the guarded transport refuses private addresses.

use std::time::Duration;

use channels::transport::{self, Body, CallTime, FailureKind, Transport, TransportError};
use domain::Field;
use domain::messaging::messages::files::{name_in_disposition, name_in_path};
use futures_util::StreamExt as _;
use http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderName};
use http::{Request, Response, StatusCode};
use http_body_util::BodyDataStream;
use reqwest::Url;

use super::from_client::FileWriter;
use super::{Media, NewFile, StoredFile};
use crate::{ActsFor, Cause, Error, Result};

/// Time-out of the whole request, including the body.
const TIMEOUT: CallTime = CallTime(Duration::from_mins(1));
const MAX_URL: usize = 8192;

#[boxed::futures]
impl Media<'_> {
    /// Fetches the file at a public URL and stores it.
    pub async fn fetch(&self, caller: &dyn ActsFor, url: &str) -> Result<StoredFile> {
        let refused = |message: &str| Error::refused(Cause::UrlRefused, Field::FileUrl, message);
        let url = parsed(url).map_err(refused)?;
        let transport = self.0.guarded_for(caller.tenant());
        let transport = transport.ok_or_else(|| refused("this server does not fetch files"))?;
        let answer = request(transport.as_ref(), &url).await.map_err(|why| refused(&why))?;
        let name = header(&answer, CONTENT_DISPOSITION).and_then(name_in_disposition);
        let new = NewFile {
            name: name.or_else(|| name_in_path(url.path())),
            mime: header(&answer, CONTENT_TYPE).map(str::to_owned),
        };
        let mut writer = FileWriter::new(self.0, caller.tenant(), Field::FileUrl, new)?;
        if let Some(length) = header(&answer, CONTENT_LENGTH).and_then(|length| length.parse().ok()) {
            writer.expect(length)?;
        }
        let chunks = BodyDataStream::new(answer.into_body()).map(Result::ok).boxed();
        writer.write_all(chunks, &|| refused("the download was cut off")).await
    }
}

/// Checks the form of the URL; the guarded transport checks the address that it leads to.
fn parsed(text: &str) -> Result<Url, &'static str> {
    if text.len() > MAX_URL {
        return Err("the URL is too long");
    }
    let mut url = Url::parse(text.trim()).map_err(|_| "expected a URL such as https://example.com/plan.pdf")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http:// and https:// URLs can be fetched");
    }
    url.set_fragment(None);
    Ok(url)
}

async fn request(transport: &dyn Transport, url: &Url) -> Result<Response<Body>, String> {
    let request = Request::get(url.as_str()).extension(TIMEOUT).body(transport::empty());
    let request = request.map_err(|_| "the URL cannot be requested".to_owned())?;
    let answer = transport.call(request).await.map_err(|error| in_short(&error))?;
    match answer.status() {
        StatusCode::OK => {}
        status if status.is_redirection() => {
            return Err(format!("the URL redirects elsewhere (HTTP {}); give the final URL", status.as_u16()));
        }
        status => return Err(format!("the URL returned HTTP {}", status.as_u16())),
    }
    match header(&answer, CONTENT_ENCODING) {
        None | Some("identity") => Ok(answer),
        Some(_) => Err("the response is compressed, but no compression was requested".to_owned()),
    }
}

/// A short text about the failure that reveals nothing about the server's own network.
fn in_short(error: &TransportError) -> String {
    match error {
        TransportError::Forbidden(why) => why.rsplit(": ").next().unwrap_or_default().to_owned(),
        TransportError::NotConnected(_) if error.kind() == FailureKind::Overloaded => error.summary(),
        TransportError::NotConnected(_) => "the host cannot be reached".to_owned(),
        TransportError::AnswerLost(_) => "the host did not respond, or not in time".to_owned(),
    }
}

fn header(answer: &Response<Body>, name: HeaderName) -> Option<&str> {
    answer.headers().get(name)?.to_str().ok()
}
