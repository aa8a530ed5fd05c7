//! Files on a person's phone: which file a message shows, and its bytes.
//!
//! A file that the business uploaded is read from the sandbox. One that the business gave as a link is fetched when the
//! phone shows it, behind the address guard. Neither is served under a type that its first bytes contradict.

use std::time::Duration;

use app::messaging::media::{FileStream, OpenFile};
use app::{Cause, Error, Result, Thing};
use bytes::Bytes;
use channels::transport::{BoxError, CallTime, empty};
use domain::messaging::messages::files::{BEGINNING, FileKind, FileType, name_in_path, received_type, shown_name};
use domain::{Field, TenantId};
use futures_util::{StreamExt as _, stream};
use http::{Request, StatusCode, header};
use http_body_util::BodyDataStream;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use store::platform::sandbox::people::Person;
use store::platform::sandbox::records::{self, Kind};
use url::Url;

use crate::core::media::content;
use crate::core::records::parsed;
use crate::{Media, PhoneMessageView, Sandbox};

/// Time limit of fetching a link, with its body.
const DOWNLOAD_TIMEOUT: CallTime = CallTime(Duration::from_secs(15));
const NO_FILE: Error = Error::NotFound(Thing::File);
/// Characters of ids that need no escaping in a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// The file that a message shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileReference {
    pub kind: &'static str,
    /// The file stands in the header of a template or an interactive message; false: the message is the file.
    pub is_header: bool,
    source: Source,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The id of an uploaded file.
    Uploaded(String),
    Link(String),
}

impl FileReference {
    /// The file of a message of type `kind` whose object under the type is `content`.
    pub fn from_content(kind: &str, content: &Value) -> Option<Self> {
        if let Ok(kind) = kind.parse::<FileKind>() {
            return Self::in_object(kind.name(), content);
        }
        let header = header(content)?;
        let kind = header["type"].as_str()?.to_ascii_lowercase().parse::<FileKind>().ok()?.name();
        Some(Self { is_header: true, ..Self::in_object(kind, &header[kind])? })
    }

    fn in_object(kind: &'static str, object: &Value) -> Option<Self> {
        let text = |member: &str| object[member].as_str().map(str::to_owned);
        let source = text("id").map(Source::Uploaded).or_else(|| text("link").map(Source::Link))?;
        let in_link = |link: &str| Url::parse(link).ok().and_then(|url| name_in_path(url.path()));
        let name = text("filename").or_else(|| match &source {
            Source::Link(link) if kind == FileKind::Document.name() => in_link(link),
            _ => None,
        });
        Some(Self { kind, is_header: false, source, name })
    }
}

/// The header of an interactive message, or the first parameter of a template's header.
fn header(content: &Value) -> Option<&Value> {
    let is_header = |part: &&Value| part["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("header"));
    let of_template = || content["components"].as_array()?.iter().find(is_header)?["parameters"].get(0);
    content.get("header").or_else(of_template)
}

/// Name and address of the place in the header.
pub(super) fn header_location(content: &Value) -> Option<String> {
    let place = header(content)?.get("location")?;
    let words: Vec<&str> = ["name", "address"].iter().filter_map(|member| place[*member].as_str()).collect();
    Some(words.join(", "))
}

/// Where the API serves the file of a message on a person's phone.
pub(super) fn url(person: &Person, message: &str) -> String {
    let escaped = |text| utf8_percent_encode(text, SEGMENT);
    format!("/api/ext/v3/sandbox/people/{}/inbox/{}/file", escaped(&person.bsuid), escaped(message))
}

#[boxed::futures]
impl Sandbox {
    /// The file of a message that the person has received.
    pub async fn open_file(&self, tenant: TenantId, person: &str, message: &str) -> Result<OpenFile> {
        let person = self.find(tenant, person).await?;
        let (_, message) =
            self.message(tenant, &person, Field::Message, message).await.map_err(|error| match error {
                Error::Missing { what, .. } => Error::NotFound(what),
                other => other,
            })?;
        if message.from_person {
            return Err(NO_FILE);
        }
        let file = FileReference::from_content(&message.kind, &PhoneMessageView::from_message(&message).content)
            .ok_or(NO_FILE)?;
        match &file.source {
            Source::Uploaded(id) => self.uploaded(tenant, id, file.name.as_deref()).await,
            Source::Link(link) => self.linked(tenant, &file, link).await,
        }
    }

    async fn uploaded(&self, tenant: TenantId, id: &str, name: Option<&str>) -> Result<OpenFile> {
        let record = records::get(self.db(), tenant, Kind::Media, id).await?.ok_or(NO_FILE)?;
        let media = parsed::<Media>(&record).ok_or(NO_FILE)?;
        let body = content(self.db(), tenant, &media.id);
        let name = name.or(media.filename.as_deref());
        opened(Some(&media.mime_type), name, Some(media.file_size), Box::pin(body)).await
    }

    async fn linked(&self, tenant: TenantId, file: &FileReference, link: &str) -> Result<OpenFile> {
        let refused = |why: String| Error::refused(Cause::UrlRefused, Field::Message, why);
        let request = Request::get(link).extension(DOWNLOAD_TIMEOUT).body(empty());
        let request = request.map_err(|_| refused("the file's URL cannot be requested".to_owned()))?;
        // Not the transport of links that people open: that one reaches this server without passing its proxy, and the
        // answer is given to the caller here.
        let web = self.app().messaging().guarded_for(tenant);
        let web = web.ok_or_else(|| refused("this server does not fetch files".to_owned()))?;
        let answer = web.call(request).await;
        let answer = answer.map_err(|error| refused(error.summary()))?;
        if answer.status() != StatusCode::OK {
            return Err(refused(format!("the file's URL returned HTTP {}", answer.status().as_u16())));
        }
        let said = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let most = file.kind.parse().map_or(0, FileKind::max);
        let body = at_most(BodyDataStream::new(answer.into_body()).boxed(), most);
        opened(said.as_deref(), file.name.as_deref(), None, body).await
    }
}

/// Ends the stream with an error behind `most` bytes.
fn at_most(body: FileStream, most: u64) -> FileStream {
    let limited = stream::try_unfold((body, 0_u64), move |(mut body, before)| async move {
        let Some(chunk) = body.next().await.transpose()? else { return Ok(None) };
        let size = before.saturating_add(chunk.len() as u64);
        if size > most { Err("the file is too large".into()) } else { Ok::<_, BoxError>(Some((chunk, (body, size)))) }
    });
    Box::pin(limited)
}

/// Reads the first bytes, which decide about the type.
async fn opened(said: Option<&str>, name: Option<&str>, length: Option<u64>, mut body: FileStream) -> Result<OpenFile> {
    let broken = || Error::refused(Cause::UrlRefused, Field::Message, "the file was not received completely");
    let (mut first, mut beginning): (Vec<Bytes>, Vec<u8>) = (Vec::new(), Vec::new());
    while beginning.len() < BEGINNING
        && let Some(chunk) = body.next().await
    {
        let chunk = chunk.map_err(|_| broken())?;
        beginning.extend(chunk.iter().take(BEGINNING));
        first.push(chunk);
    }
    let mime = received_type(said, &beginning);
    let extension = FileType::from_mime(&mime).map_or("bin", FileType::extension);
    let body = stream::iter(first.into_iter().map(Ok)).chain(body).boxed();
    Ok(OpenFile { name: shown_name(name, extension), mime, length, body })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_is_found_in_each_kind_of_message() {
        let document = json!({ "id": "7", "filename": "plan.pdf" });
        let own = FileReference::from_content("document", &document).unwrap();
        assert_eq!((own.kind, own.is_header, own.name.as_deref()), ("document", false, Some("plan.pdf")));
        assert_eq!(own.source, Source::Uploaded("7".to_owned()));
        let parameter = json!({ "type": "image", "image": { "link": "https://a.example/x/tea.png" } });
        let template = json!({ "name": "tea", "components": [{ "type": "body" }, { "type": "HEADER", "parameters": [parameter] }] });
        let of_template = FileReference::from_content("template", &template).unwrap();
        assert_eq!((of_template.kind, of_template.is_header, of_template.name), ("image", true, None));
        let interactive =
            json!({ "header": { "type": "document", "document": { "link": "https://a.example/x/plan.pdf" } } });
        assert_eq!(FileReference::from_content("interactive", &interactive).unwrap().name.as_deref(), Some("plan.pdf"));
        for (kind, content) in [
            ("text", json!({ "body": "Hello" })),
            ("interactive", json!({ "header": { "type": "text", "text": "Tea" } })),
            ("template", json!({ "components": [{ "type": "header", "parameters": [] }] })),
            ("image", json!({ "caption": "no file" })),
        ] {
            assert_eq!(FileReference::from_content(kind, &content), None, "{kind}");
        }
    }

    #[test]
    fn a_place_has_name_and_address() {
        let place = json!({ "type": "location", "location": { "latitude": 1, "longitude": 2, "name": "Shop", "address": "Quay 1" } });
        let template = json!({ "components": [{ "type": "header", "parameters": [place] }] });
        assert_eq!(header_location(&template).as_deref(), Some("Shop, Quay 1"));
        assert_eq!(FileReference::from_content("template", &template), None);
    }

    #[tokio::test]
    async fn the_first_bytes_decide_about_the_type_and_the_size_is_bounded() {
        let of = |bytes: &'static [u8]| stream::iter(bytes.chunks(3).map(|part| Ok(Bytes::from_static(part)))).boxed();
        let page = opened(Some("image/png"), None, None, of(b"<script>alert(1)</script>")).await.unwrap();
        assert_eq!(
            (page.mime.as_str(), page.name.rsplit('.').next() == Some("bin")),
            ("application/octet-stream", true)
        );
        let picture =
            opened(Some("text/html"), Some("tea"), None, of(b"\x89PNG\r\n\x1a\n and more of it")).await.unwrap();
        assert_eq!(picture.mime, "image/png");
        let whole: Vec<Bytes> = picture.body.map(Result::unwrap).collect().await;
        assert_eq!(whole.concat(), b"\x89PNG\r\n\x1a\n and more of it");
        let chunks: Vec<bool> = at_most(of(b"123456789"), 6).map(|chunk| chunk.is_ok()).collect().await;
        assert_eq!(chunks, [true, true, false]);
    }
}
