//! How the bytes of a file are kept in the binary, and in memory for clients that do not take them compressed.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use flate2::bufread::GzDecoder;

/// Decompressed files, by the address and length of their compressed bytes. A file is decompressed at its first request
/// without compression and kept until the process ends: a client without a credential must not make the server
/// decompress again with each request. A test bounds the size of all files together.
static DECOMPRESSED: Mutex<BTreeMap<(usize, usize), &'static [u8]>> = Mutex::new(BTreeMap::new());

/// The content of a file, once: compressed if that is notably smaller. Nearly all clients take the compressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    Plain(&'static [u8]),
    Gzip(&'static [u8]),
}

impl Stored {
    /// The file as it is.
    pub fn plain(self) -> &'static [u8] {
        match self {
            Self::Plain(bytes) => bytes,
            Self::Gzip(bytes) => {
                let mut kept = DECOMPRESSED.lock().unwrap_or_else(PoisonError::into_inner);
                kept.entry((bytes.as_ptr().addr(), bytes.len())).or_insert_with(|| decompress(bytes))
            }
        }
    }
}

/// Bytes that are not gzip become an empty file; the build script writes no such bytes.
fn decompress(bytes: &[u8]) -> &'static [u8] {
    let mut content = Vec::new();
    let is_whole = GzDecoder::new(bytes).read_to_end(&mut content).is_ok();
    if is_whole { Box::leak(content.into_boxed_slice()) } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_bytes_are_decompressed_once() {
        assert_eq!(Stored::Plain(b"as it is").plain(), b"as it is");
        let compressed = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03K,V\xc8,Q\xc8,\x06\0\xb3$N\x96\x08\0\0\0";
        let first = Stored::Gzip(compressed).plain();
        assert_eq!(first, b"as it is");
        assert!(std::ptr::eq(first, Stored::Gzip(compressed).plain()), "not decompressed again");
        assert!(Stored::Gzip(&compressed[..20]).plain().is_empty());
        assert!(Stored::Gzip(b"as it is").plain().is_empty());
    }
}
