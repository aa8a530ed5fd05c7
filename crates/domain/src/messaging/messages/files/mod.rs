//! Files of messages: the types and sizes that the network accepts, how the type of a file is found, and its name.

mod names;

pub use names::{name_in_disposition, name_in_path, shown_name};

use crate::base::named::named;

named! {
    /// The kind of message that a file is sent as.
    FileKind {
        Image => "image",
        Sticker => "sticker",
        Video => "video",
        Audio => "audio",
        Document => "document",
    }
}

const MEGABYTE: u64 = 1 << 20;
/// The largest file of any kind, in bytes.
pub const MAX_FILE: u64 = 100 * MEGABYTE;
/// Most characters of a caption, below an image, a video or a document.
pub const MAX_CAPTION: usize = 1024;
/// How many first bytes of a file `from_bytes` needs.
pub const BEGINNING: usize = 16;

/// A type of file that the network accepts.
#[derive(Debug, PartialEq, Eq)]
pub struct FileType {
    pub mime: &'static str,
    pub kind: FileKind,
    /// Extensions of file names. The first is used for names that the server makes.
    extensions: &'static [&'static str],
}

const fn takes(mime: &'static str, kind: FileKind, extensions: &'static [&'static str]) -> FileType {
    FileType { mime, kind, extensions }
}

pub const TYPES: &[FileType] = &[
    takes("image/jpeg", FileKind::Image, &["jpg", "jpeg"]),
    takes("image/png", FileKind::Image, &["png"]),
    takes("image/webp", FileKind::Sticker, &["webp"]),
    takes("video/mp4", FileKind::Video, &["mp4"]),
    takes("video/3gpp", FileKind::Video, &["3gp", "3gpp"]),
    takes("audio/aac", FileKind::Audio, &["aac"]),
    takes("audio/amr", FileKind::Audio, &["amr"]),
    takes("audio/mpeg", FileKind::Audio, &["mp3"]),
    takes("audio/mp4", FileKind::Audio, &["m4a"]),
    takes("audio/ogg", FileKind::Audio, &["ogg", "oga"]),
    takes("audio/opus", FileKind::Audio, &["opus"]),
    takes("text/plain", FileKind::Document, &["txt"]),
    takes("application/pdf", FileKind::Document, &["pdf"]),
    takes("application/msword", FileKind::Document, &["doc"]),
    takes("application/vnd.ms-excel", FileKind::Document, &["xls"]),
    takes("application/vnd.ms-powerpoint", FileKind::Document, &["ppt"]),
    takes("application/vnd.openxmlformats-officedocument.wordprocessingml.document", FileKind::Document, &["docx"]),
    takes("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", FileKind::Document, &["xlsx"]),
    takes("application/vnd.openxmlformats-officedocument.presentationml.presentation", FileKind::Document, &["pptx"]),
];

/// Other spellings of types in the list.
const ALIASES: &[(&str, &str)] = &[
    ("image/jpg", "image/jpeg"),
    ("image/pjpeg", "image/jpeg"),
    ("image/x-png", "image/png"),
    ("video/3gp", "video/3gpp"),
    ("audio/mp3", "audio/mpeg"),
    ("audio/m4a", "audio/mp4"),
    ("audio/x-m4a", "audio/mp4"),
    ("audio/x-aac", "audio/aac"),
    ("application/ogg", "audio/ogg"),
    ("application/x-pdf", "application/pdf"),
];

/// Types that say nothing about a file.
const SAYS_NOTHING: &[&str] = &["", "application/octet-stream", "binary/octet-stream", "application/x-download", "*/*"];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    #[error("the network does not accept files of type {}; it accepts {}", .0, known())]
    Type(String),
    #[error(
        "the file's type cannot be determined from its content type, name or first bytes; the network accepts {}",
        known()
    )]
    Unknown,
    #[error("the file is empty")]
    Empty,
    #[error("the file is too large: the network accepts at most {} bytes for {}", .0.max(), .0.in_words())]
    TooLarge(FileKind),
    #[error("{0} characters, at most {MAX_CAPTION}")]
    Caption(usize),
}

fn known() -> String {
    TYPES.iter().map(|known| known.mime).collect::<Vec<_>>().join(", ")
}

impl FileKind {
    pub const fn max(self) -> u64 {
        match self {
            Self::Image => 5 * MEGABYTE,
            Self::Sticker => 500 << 10,
            Self::Video | Self::Audio => 16 * MEGABYTE,
            Self::Document => MAX_FILE,
        }
    }

    /// Whether the network shows a caption below a file of this kind.
    pub const fn takes_caption(self) -> bool {
        matches!(self, Self::Image | Self::Video | Self::Document)
    }

    const fn in_words(self) -> &'static str {
        match self {
            Self::Image => "an image",
            Self::Sticker => "a sticker",
            Self::Video => "a video",
            Self::Audio => "an audio file",
            Self::Document => "a document",
        }
    }

    pub const fn check_size(self, size: u64) -> Result<(), FileProblem> {
        match size {
            0 => Err(FileProblem::Empty),
            size if size > self.max() => Err(FileProblem::TooLarge(self)),
            _ => Ok(()),
        }
    }
}

pub fn check_caption(caption: &str) -> Result<(), FileProblem> {
    match caption.chars().count() {
        length if length > MAX_CAPTION => Err(FileProblem::Caption(length)),
        _ => Ok(()),
    }
}

impl FileType {
    pub const fn extension(&self) -> &'static str {
        self.extensions[0]
    }

    /// The type of a file: the declared one, which must be a type that the network accepts. If the declared type says
    /// nothing, the type of the name's extension, else that of the first bytes.
    pub fn detect(declared: Option<&str>, name: Option<&str>, beginning: &[u8]) -> Result<&'static Self, FileProblem> {
        let essence = essence(declared.unwrap_or_default());
        if SAYS_NOTHING.contains(&essence.as_str()) {
            return name.and_then(Self::from_name).or_else(|| Self::from_bytes(beginning)).ok_or(FileProblem::Unknown);
        }
        Self::from_mime(&essence).ok_or(FileProblem::Type(essence))
    }

    /// The type with this name or alias. Parameters of the name are ignored.
    pub fn from_mime(mime: &str) -> Option<&'static Self> {
        let essence = essence(mime);
        let essence = ALIASES.iter().find(|(alias, _)| *alias == essence).map_or(essence.as_str(), |(_, mime)| *mime);
        TYPES.iter().find(|known| known.mime == essence)
    }

    fn from_name(name: &str) -> Option<&'static Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        TYPES.iter().find(|known| known.extensions.contains(&extension.as_str()))
    }

    /// The type that the first bytes identify. Archives have none: they may be several kinds of document.
    pub fn from_bytes(beginning: &[u8]) -> Option<&'static Self> {
        let mime = match beginning {
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            [_, _, _, _, b'f', b't', b'y', b'p', b'M', b'4', b'A', ..] => "audio/mp4",
            [_, _, _, _, b'f', b't', b'y', b'p', b'3', b'g', ..] => "video/3gpp",
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => "video/mp4",
            [b'O', b'g', b'g', b'S', ..] => "audio/ogg",
            [b'#', b'!', b'A', b'M', b'R', ..] => "audio/amr",
            [b'I', b'D', b'3', ..] => "audio/mpeg",
            [0xff, second, ..] if second & 0xf6 == 0xf0 => "audio/aac",
            [0xff, second, ..] if second & 0xe6 == 0xe2 => "audio/mpeg",
            [b'%', b'P', b'D', b'F', b'-', ..] => "application/pdf",
            _ => return None,
        };
        Self::from_mime(mime)
    }
}

/// The type under which a received file is kept. People send documents of every type, so that none is refused; but a
/// file is only called an image, an audio file or a video when its first bytes show it. Types that share a container
/// (`ftyp`, `OggS`) keep the declared name.
pub fn received_type(declared: Option<&str>, beginning: &[u8]) -> String {
    let declared = essence(declared.unwrap_or_default());
    let known = FileType::from_mime(&declared);
    let Some(shown) = FileType::from_bytes(beginning) else {
        let is_media = ["image/", "audio/", "video/"].iter().any(|family| declared.starts_with(family));
        let says_nothing = SAYS_NOTHING.contains(&declared.as_str()) || !is_type(&declared);
        return if is_media || says_nothing { ANY_TYPE.to_owned() } else { declared };
    };
    match known.filter(|known| container(known.mime) == container(shown.mime)) {
        Some(known) => known.mime.to_owned(),
        None => shown.mime.to_owned(),
    }
}

/// The type of a file of which nothing is known.
pub const ANY_TYPE: &str = "application/octet-stream";

/// The same text for all types that have the same first bytes.
fn container(mime: &str) -> &str {
    match mime {
        "audio/mp4" | "video/3gpp" => "video/mp4",
        "audio/opus" => "audio/ogg",
        other => other,
    }
}

/// `type/subtype` in characters that a header may have.
fn is_type(essence: &str) -> bool {
    let is_part = |part: &str| {
        (1..=127).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    essence.split_once('/').is_some_and(|(kind, name)| is_part(kind) && is_part(name))
}

/// A type without its parameters.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_type_counts_in_every_spelling() {
        for (declared, mime, kind) in [
            ("image/jpeg", "image/jpeg", FileKind::Image),
            ("IMAGE/JPG", "image/jpeg", FileKind::Image),
            ("image/webp", "image/webp", FileKind::Sticker),
            ("audio/ogg; codecs=opus", "audio/ogg", FileKind::Audio),
            (" text/plain;charset=utf-8 ", "text/plain", FileKind::Document),
            ("audio/x-m4a", "audio/mp4", FileKind::Audio),
        ] {
            let found = FileType::detect(Some(declared), Some("x.pdf"), b"%PDF-").unwrap();
            assert_eq!((found.mime, found.kind), (mime, kind), "{declared}");
        }
        for declared in ["text/html", "image/gif", "application/zip", "nonsense"] {
            assert_eq!(
                FileType::detect(Some(declared), Some("x.pdf"), b"%PDF-"),
                Err(FileProblem::Type(declared.to_owned()))
            );
        }
    }

    #[test]
    fn without_a_type_the_name_decides_and_then_the_bytes() {
        for declared in [None, Some(""), Some("application/octet-stream"), Some("binary/octet-stream")] {
            assert_eq!(
                FileType::detect(declared, Some("A.B.PDF"), &[0xff, 0xd8, 0xff]).unwrap().mime,
                "application/pdf"
            );
            assert_eq!(FileType::detect(declared, Some("nothing"), &[0xff, 0xd8, 0xff]).unwrap().mime, "image/jpeg");
            assert_eq!(FileType::detect(declared, Some("a.exe"), b"MZ"), Err(FileProblem::Unknown));
            assert_eq!(FileType::detect(declared, None, b""), Err(FileProblem::Unknown));
        }
        for (bytes, mime) in [
            (b"\x89PNG\r\n\x1a\n".as_slice(), "image/png"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x18ftypisom", "video/mp4"),
            (b"\0\0\0\x18ftyp3gp5", "video/3gpp"),
            (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
            (b"OggS\0", "audio/ogg"),
            (b"#!AMR\n", "audio/amr"),
            (b"ID3\x04", "audio/mpeg"),
            (b"\xff\xfb\x90", "audio/mpeg"),
            (b"\xff\xf1\x50", "audio/aac"),
            (b"%PDF-1.7", "application/pdf"),
        ] {
            assert_eq!(FileType::detect(None, None, bytes).unwrap().mime, mime);
        }
        assert!(FileType::detect(None, None, b"RIFF\0\0\0\0WAVE").is_err());
    }

    #[test]
    fn a_received_file_is_called_what_its_bytes_show() {
        for (declared, bytes, kept) in [
            ("image/jpeg", b"\xff\xd8\xff\xe0".as_slice(), "image/jpeg"),
            ("image/jpeg", b"\x89PNG\r\n\x1a\n", "image/png"),
            ("image/jpeg", b"<script>alert(1)</script>", ANY_TYPE),
            ("video/mp4", b"<html>", ANY_TYPE),
            ("audio/ogg; codecs=opus", b"OggS\0", "audio/ogg"),
            ("audio/opus", b"OggS\0", "audio/opus"),
            ("audio/mp4", b"\0\0\0\x18ftypisom", "audio/mp4"),
            ("video/3gpp", b"\0\0\0\x18ftypisom", "video/3gpp"),
            ("application/zip", b"PK\x03\x04", "application/zip"),
            ("text/csv; charset=utf-8", b"a,b", "text/csv"),
            ("text/html", b"\xff\xd8\xff\xe0", "image/jpeg"),
            ("text/html\r\nx: y", b"a,b", ANY_TYPE),
            ("nonsense", b"a,b", ANY_TYPE),
            ("", b"a,b", ANY_TYPE),
        ] {
            assert_eq!(received_type(Some(declared), bytes), kept, "{declared}");
        }
        assert_eq!(received_type(None, b"%PDF-1.7"), "application/pdf");
    }

    #[test]
    fn sizes_are_limited_as_by_the_network() {
        for (kind, max) in [
            (FileKind::Image, 5_242_880),
            (FileKind::Sticker, 512_000),
            (FileKind::Video, 16_777_216),
            (FileKind::Audio, 16_777_216),
            (FileKind::Document, 104_857_600),
        ] {
            assert_eq!(
                (kind.check_size(0), kind.check_size(1), kind.check_size(max)),
                (Err(FileProblem::Empty), Ok(()), Ok(()))
            );
            assert_eq!(kind.check_size(max + 1), Err(FileProblem::TooLarge(kind)));
        }
        let message = FileProblem::TooLarge(FileKind::Sticker).to_string();
        assert_eq!(message, "the file is too large: the network accepts at most 512000 bytes for a sticker");
    }

    #[test]
    fn captions_are_limited() {
        assert_eq!(check_caption(&"ä".repeat(1024)), Ok(()));
        assert_eq!(check_caption(&"ä".repeat(1025)), Err(FileProblem::Caption(1025)));
    }

    #[test]
    fn images_videos_and_documents_have_captions() {
        let with: Vec<FileKind> = FileKind::ALL.iter().copied().filter(|kind| kind.takes_caption()).collect();
        assert_eq!(with, [FileKind::Image, FileKind::Video, FileKind::Document]);
    }

    #[test]
    fn a_problem_lists_what_the_network_accepts() {
        for (kind, words) in [
            (FileKind::Image, "5242880 bytes for an image"),
            (FileKind::Sticker, "512000 bytes for a sticker"),
            (FileKind::Video, "16777216 bytes for a video"),
            (FileKind::Audio, "16777216 bytes for an audio file"),
            (FileKind::Document, "104857600 bytes for a document"),
        ] {
            assert!(FileProblem::TooLarge(kind).to_string().ends_with(words), "{kind}");
        }
        let unknown = FileProblem::Unknown.to_string();
        let refused = FileProblem::Type("text/html".into()).to_string();
        assert!(TYPES.iter().all(|known| unknown.contains(known.mime) && refused.contains(known.mime)));
        assert!(
            refused
                .starts_with("the network does not accept files of type text/html; it accepts image/jpeg, image/png,")
        );
    }

    #[test]
    fn every_type_is_found_by_its_name_its_extensions_and_its_aliases() {
        for known in TYPES {
            assert_eq!(FileType::from_mime(known.mime), Some(known));
            assert_eq!(Some(&known.extension()), known.extensions.first());
            for extension in known.extensions {
                assert_eq!(FileType::detect(None, Some(&format!("a.{}", extension.to_uppercase())), b""), Ok(known));
            }
        }
        for (alias, mime) in ALIASES {
            assert_eq!(FileType::from_mime(alias).map(|known| known.mime), Some(*mime), "{alias}");
        }
        assert_eq!(FileType::from_mime("application/pdf").map(FileType::extension), Some("pdf"));
        assert_eq!(FileType::from_mime("video/3gpp").map(FileType::extension), Some("3gp"));
    }

    #[test]
    fn a_type_that_says_nothing_leaves_the_decision_to_the_name() {
        for declared in SAYS_NOTHING {
            assert_eq!(
                FileType::detect(Some(declared), Some("a.png"), b"").map(|known| known.mime),
                Ok("image/png"),
                "{declared}"
            );
        }
        assert_eq!(
            FileType::detect(Some("*/*; q=1"), Some("png"), b"\xff\xd8\xff").map(|known| known.mime),
            Ok("image/jpeg")
        );
    }

    #[test]
    fn the_two_kinds_of_audio_frames_are_distinguished() {
        let found = |second: u8| FileType::detect(None, None, &[0xff, second, 0]).ok().map(|known| known.mime);
        for (second, mime) in [
            (0xf0, Some("audio/aac")),
            (0xf1, Some("audio/aac")),
            (0xf8, Some("audio/aac")),
            (0xf9, Some("audio/aac")),
            (0xfa, Some("audio/mpeg")),
            (0xfb, Some("audio/mpeg")),
            (0xf2, Some("audio/mpeg")),
            (0xe2, Some("audio/mpeg")),
            (0xe3, Some("audio/mpeg")),
            (0xe0, None),
            (0xe4, None),
            (0xf4, None),
            (0xc2, None),
            (0x00, None),
        ] {
            assert_eq!(found(second), mime, "{second:x}");
        }
        assert_eq!(FileType::detect(None, None, b"RIFF\0\0\0\0"), Err(FileProblem::Unknown), "too short to tell");
    }
}
