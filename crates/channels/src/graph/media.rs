//! Upload, look-up, download and deletion of media, streamed. Checks neither media type nor hash.

use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, Response, Uri};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Limited};
use serde::Deserialize;

use super::client::{Done, Graph, Result, finish, query};
use super::errors::Class;
use super::failure::GraphError;
use super::loose;
use super::multipart::{File, Multipart};
use crate::transport::{self, Body, CallTime, Transport};

/// Enough for 100 MB over a slow connection.
const MEDIA_TIME: CallTime = CallTime(Duration::from_mins(10));
/// Most bytes that are read of an error answer.
const MAX_ERROR: usize = 64 * 1024;

/// A stored file at the network. The URL expires after a few minutes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MediaInfo {
    pub id: String,
    pub url: String,
    #[serde(default)]
    pub mime_type: Option<String>,
    #[serde(default)]
    pub sha256: Option<String>,
    #[serde(default, deserialize_with = "loose::unsigned")]
    pub file_size: Option<u64>,
}

#[derive(Debug)]
pub struct Download {
    pub mime: Option<String>,
    pub length: Option<u64>,
    /// Fails when it exceeds the `limit` of the download.
    pub body: Body,
}

#[derive(Deserialize)]
struct Uploaded {
    id: String,
}

#[boxed::futures]
impl Graph {
    /// `length` is the exact number of bytes in the stream. Returns the media id to send it with.
    pub async fn upload(&self, mime: &str, filename: &str, length: u64, stream: Body) -> Result<String> {
        if HeaderValue::from_str(mime).is_err() {
            return Err(GraphError::invalid_request("the media type has characters that are not allowed in a header"));
        }
        let boundary = format!("{:032x}", rand::random::<u128>());
        let fields = [("messaging_product", "whatsapp"), ("type", mime)];
        let body = Multipart::new(&boundary, &fields, File { name: filename, mime, length, body: stream });
        let request = self
            .request(Method::POST, &self.number_url(&["media"])?)?
            .extension(MEDIA_TIME)
            .header(CONTENT_TYPE, format!("multipart/form-data; boundary={boundary}"))
            .header(CONTENT_LENGTH, body.size_hint().lower());
        let uploaded: Uploaded = self.ask(finish(request, body.boxed_unsync())?).await?;
        Ok(uploaded.id)
    }

    /// Looks a file up. The request does not name the phone number: the network refuses that for files that people
    /// sent.
    pub async fn media(&self, id: &str) -> Result<MediaInfo> {
        self.get(&self.url(id, &[])?).await
    }

    pub async fn delete_media(&self, id: &str) -> Result<()> {
        let of_us = query(&[("phone_number_id", &self.credentials.phone_number_id)]);
        self.delete::<Done>(&(self.url(id, &[])? + &of_us)).await?.check()
    }

    /// Opens a download of at most `limit` bytes. A larger file is an error, at once or while its body is read. Media
    /// hosts are not the Graph API, so the breaker does not count these calls.
    pub async fn download(&self, media: &MediaInfo, limit: u64) -> Result<Download> {
        let transport = self.transport_for(&media.url)?;
        let request = self.request(Method::GET, &media.url)?.extension(MEDIA_TIME);
        let response = transport.call(finish(request, transport::empty())?).await?;
        if !response.status().is_success() {
            return Err(refused(response).await);
        }
        let length = response.body().size_hint().exact().or_else(|| announced(&response));
        if length.is_some_and(|length| length > limit) {
            return Err(GraphError::new(Class::Refuse, "the media is larger than allowed", ""));
        }
        let mime = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(Download { mime, length, body: Limited::new(response.into_body(), limit).boxed_unsync() })
    }

    /// The URL comes from the network and the request carries the access token. So it must be the base URL's own host,
    /// or an https URL that the address guard permits.
    fn transport_for(&self, url: &str) -> Result<&dyn Transport> {
        let parse =
            |url: &str| url.parse::<Uri>().map_err(|_| GraphError::invalid_request("the media's URL cannot be read"));
        let (uri, base) = (parse(url)?, parse(&self.base_url)?);
        if uri.scheme() == base.scheme() && uri.authority() == base.authority() {
            return Ok(self.transport.as_ref());
        }
        if uri.scheme_str() != Some("https") {
            return Err(GraphError::invalid_request("the media's URL is not https"));
        }
        self.guarded.as_deref().ok_or_else(|| GraphError::invalid_request("the media is on another host"))
    }
}

fn announced(response: &Response<Body>) -> Option<u64> {
    response.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn refused(response: Response<Body>) -> GraphError {
    let (parts, body) = response.into_parts();
    let body = transport::collect(body, MAX_ERROR).await.unwrap_or_default();
    GraphError::from_answer(parts.status.as_u16(), &parts.headers, &body)
}
