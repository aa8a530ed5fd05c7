//! Sample files of media headers: where a sample comes from, and which files the network accepts as one.

use super::content::{Content, Header, Media, MediaKind};
use crate::messaging::messages::files::{FileKind, FileType};
use crate::{Field, MediaId, Place};

/// Where the sample of a header comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleSource<'a> {
    /// The network's handle of a file that was uploaded there.
    Handle(&'a str),
    /// A file that this server has.
    File(MediaId),
    /// A file at an address.
    Address(&'a str),
}

/// The sample of one header, and the place in the request that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderSample<'a> {
    pub place: Place,
    pub kind: MediaKind,
    /// None when the template names no sample.
    pub source: Option<SampleSource<'a>>,
}

/// Why a file cannot be the sample of a header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SampleProblem {
    #[error("the sample for {} header must be {}; this file is {found}", .kind.in_words(), .kind.sample_types())]
    Type { kind: MediaKind, found: &'static str },
    #[error(
        "the sample for {} header can have at most {} bytes; this file has {size}",
        .kind.in_words(),
        .kind.max_sample()
    )]
    TooLarge { kind: MediaKind, size: u64 },
    #[error("the sample is empty")]
    Empty,
}

impl<'a> SampleSource<'a> {
    pub fn from_text(text: &'a str) -> Self {
        let text = text.trim();
        if let Ok(id) = text.parse() {
            return Self::File(id);
        }
        if is_address(text) { Self::Address(text) } else { Self::Handle(text) }
    }
}

/// Whether the text is the address of a file; a handle has no scheme.
pub(super) fn is_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

impl MediaKind {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Image => "an image",
            Self::Video => "a video",
            Self::Document => "a document",
        }
    }

    const fn sample_types(self) -> &'static str {
        match self {
            Self::Image => "a JPEG or PNG file",
            Self::Video => "an MP4 file",
            Self::Document => "a PDF file",
        }
    }

    /// The largest sample, in bytes.
    pub const fn max_sample(self) -> u64 {
        match self {
            Self::Image => FileKind::Image.max(),
            Self::Video => FileKind::Video.max(),
            Self::Document => FileKind::Document.max(),
        }
    }

    /// The type of a sample by its content; its name and its declared type do not count.
    pub fn check_sample(self, beginning: &[u8], size: u64) -> Result<&'static str, SampleProblem> {
        if size == 0 {
            return Err(SampleProblem::Empty);
        }
        let found = FileType::from_bytes(beginning).map_or("of an unknown type", |known| known.mime);
        let fits = match self {
            Self::Image => matches!(found, "image/jpeg" | "image/png"),
            Self::Video => found == "video/mp4",
            Self::Document => found == "application/pdf",
        };
        if !fits {
            return Err(SampleProblem::Type { kind: self, found });
        }
        if size > self.max_sample() { Err(SampleProblem::TooLarge { kind: self, size }) } else { Ok(found) }
    }
}

impl Content {
    /// The samples of the headers of the template and its cards, in this order.
    pub fn header_samples(&self) -> Vec<HeaderSample<'_>> {
        let header = match &self.header {
            Some(Header::Media(media)) => Some(self.header_sample(Field::Header.into(), media)),
            _ => None,
        };
        let cards = self.cards.iter().enumerate();
        let cards = cards.map(|(index, card)| {
            self.header_sample(Field::CarouselCards.at(index).member(Field::Header), &card.header)
        });
        header.into_iter().chain(cards).collect()
    }

    fn header_sample<'a>(&'a self, header: Place, media: &'a Media) -> HeaderSample<'a> {
        let (place, text) = match (&media.handle, self.sample(&media.parameter), &media.link) {
            (Some(handle), ..) => (header.member(Field::MediaHeaderId), Some(handle.as_str())),
            (None, Some(sample), _) => (Field::CustomParams.into(), Some(sample)),
            (None, None, link) => (header.member(Field::Link), link.as_deref()),
        };
        HeaderSample { place, kind: media.kind, source: text.map(SampleSource::from_text) }
    }

    /// Puts the network's handles in place of the samples: one for each of `header_samples`, in its order.
    pub fn set_handles(&mut self, handles: Vec<String>) {
        let header = match &mut self.header {
            Some(Header::Media(media)) => Some(media),
            _ => None,
        };
        let all = header.into_iter().chain(self.cards.iter_mut().map(|card| &mut card.header));
        for (media, handle) in all.zip(handles) {
            media.handle = Some(handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messaging::templates::Card;
    use crate::people::contacts::CustomParam;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    const PDF: &[u8] = b"%PDF-1.7\n";
    const MP4: &[u8] = b"\0\0\0\x18ftypisom";

    fn media(handle: Option<&str>, link: Option<&str>, parameter: &str) -> Media {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (handle, link) = (owned(handle), owned(link));
        Media { kind: MediaKind::Image, link, parameter: parameter.to_owned(), handle, file_name: None }
    }

    #[test]
    fn a_sample_is_a_handle_a_file_of_ours_or_an_address() {
        let id = "69eb4e9a1f0c2d3e4a5b6c7d";
        assert_eq!(SampleSource::from_text(id), SampleSource::File(id.parse().unwrap()));
        for address in ["https://shop.example/a.jpg", "HTTP://shop.example/a.jpg"] {
            assert_eq!(SampleSource::from_text(address), SampleSource::Address(address));
        }
        for handle in ["4::aW1hZ2U=", "4:VGVzdC5wbmc=:aW1hZ2UvanBlZw==:ARat:e:1659995302:2022:636:ARZ", "ftp://a/b"] {
            assert_eq!(SampleSource::from_text(handle), SampleSource::Handle(handle));
        }
    }

    #[test]
    fn the_content_decides_the_type_and_each_kind_has_its_size() {
        for (kind, content, mime) in [
            (MediaKind::Image, PNG, "image/png"),
            (MediaKind::Image, b"\xff\xd8\xff\xe0".as_slice(), "image/jpeg"),
            (MediaKind::Video, MP4, "video/mp4"),
            (MediaKind::Document, PDF, "application/pdf"),
        ] {
            assert_eq!(kind.check_sample(content, kind.max_sample()), Ok(mime));
            let size = kind.max_sample() + 1;
            assert_eq!(kind.check_sample(content, size), Err(SampleProblem::TooLarge { kind, size }));
            assert_eq!(kind.check_sample(content, 0), Err(SampleProblem::Empty));
        }
        for (kind, content, says) in [
            (
                MediaKind::Image,
                PDF,
                "the sample for an image header must be a JPEG or PNG file; this file is application/pdf",
            ),
            (
                MediaKind::Image,
                b"RIFF\0\0\0\0WEBP",
                "the sample for an image header must be a JPEG or PNG file; this file is image/webp",
            ),
            (
                MediaKind::Video,
                b"\0\0\0\x18ftyp3gp5",
                "the sample for a video header must be an MP4 file; this file is video/3gpp",
            ),
            (
                MediaKind::Document,
                b"<html>",
                "the sample for a document header must be a PDF file; this file is of an unknown type",
            ),
        ] {
            assert_eq!(kind.check_sample(content, 9).unwrap_err().to_string(), says);
        }
        let large = MediaKind::Image.check_sample(PNG, 6_000_000).unwrap_err().to_string();
        assert_eq!(large, "the sample for an image header can have at most 5242880 bytes; this file has 6000000");
    }

    #[test]
    fn every_header_has_its_sample_and_gets_its_handle() {
        let card = |header| Card { header, body: None, buttons: vec![] };
        let mut content = Content {
            header: Some(Header::Media(media(Some("4::a"), Some("https://a.example/1.png"), "header_link"))),
            cards: vec![
                card(media(None, None, "picture")),
                card(media(None, Some("https://a.example/2.png"), "card_1_header_link")),
                card(media(None, None, "card_2_header_link")),
            ],
            samples: vec![CustomParam { name: "picture".to_owned(), value: "https://a.example/3.png".to_owned() }],
            ..Content::default()
        };
        let found: Vec<_> =
            content.header_samples().into_iter().map(|one| (one.place.to_string(), one.source)).collect();
        assert_eq!(
            found,
            [
                ("header.media_header_id".to_owned(), Some(SampleSource::Handle("4::a"))),
                ("custom_params".to_owned(), Some(SampleSource::Address("https://a.example/3.png"))),
                ("carousel_cards[1].header.link".to_owned(), Some(SampleSource::Address("https://a.example/2.png"))),
                ("carousel_cards[2].header.link".to_owned(), None),
            ]
        );
        content.set_handles(["h0", "h1", "h2", "h3"].map(str::to_owned).to_vec());
        let handles: Vec<_> = content.cards.iter().map(|card| card.header.handle.as_deref()).collect();
        assert_eq!(handles, [Some("h1"), Some("h2"), Some("h3")]);
        let Some(Header::Media(header)) = content.header else { unreachable!() };
        assert_eq!(header.handle.as_deref(), Some("h0"));
    }
}
