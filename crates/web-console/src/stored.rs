//! How the bytes of a file are kept in the binary.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::bufread::GzDecoder;

/// The content of a file, once: compressed if that is notably smaller. Nearly all clients take the compressed bytes;
/// for the others the bytes are decompressed with each answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    Plain(&'static [u8]),
    Gzip(&'static [u8]),
}

impl Stored {
    /// The file as it is.
    pub fn plain(self) -> Cow<'static, [u8]> {
        match self {
            Self::Plain(bytes) => Cow::Borrowed(bytes),
            Self::Gzip(bytes) => Cow::Owned(decompress(bytes)),
        }
    }
}

/// Bytes that are not gzip become an empty file; the build script writes no such bytes.
fn decompress(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let is_whole = GzDecoder::new(bytes).read_to_end(&mut content).is_ok();
    if is_whole { content } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_bytes_are_decompressed_and_others_are_not_copied() {
        assert!(matches!(Stored::Plain(b"as it is").plain(), Cow::Borrowed(b"as it is")));
        let compressed = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03K,V\xc8,Q\xc8,\x06\0\xb3$N\x96\x08\0\0\0";
        assert_eq!(Stored::Gzip(compressed).plain(), &b"as it is"[..]);
        assert!(Stored::Gzip(&compressed[..20]).plain().is_empty());
        assert!(Stored::Gzip(b"as it is").plain().is_empty());
    }
}
