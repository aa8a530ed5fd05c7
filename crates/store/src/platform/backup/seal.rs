//! Backups that are sealed with a key: what `backup` writes goes through `SealedWriter`, and `open_backup` gives it
//! back to `restore`.
//!
//! A sealed backup is a line that says so, the fingerprint of the key, a random salt, and the backup in parts
//! (`domain/src/base/sealed_parts.rs`). Each part has its length before it, with a bit that marks the last one. Parts
//! are authenticated before any byte of them is used, and a file without its last part is refused.

use std::io::{self, Read, Seek, SeekFrom, Write};

use domain::base::keys::SecretKey;
use domain::base::sealed_parts::{PartPlace, SALT_LEN, SealedParts, TAG_LEN};

use super::BackupError;

const MAGIC: &[u8] = b"switchboard sealed backup 1\n";
const FINGERPRINT_LEN: usize = 16;
const HEADER_LEN: u64 = (MAGIC.len() + FINGERPRINT_LEN + SALT_LEN) as u64;
/// Bytes of a part before it is sealed; the last one may have fewer.
const PART: usize = 64 << 10;
/// Marks the length of the last part.
const LAST: u32 = 1 << 31;

/// Seals what is written. The first flush ends the stream: a stream without it cannot be opened.
#[derive(Debug)]
pub struct SealedWriter<W> {
    out: W,
    parts: SealedParts,
    part: Vec<u8>,
    ended: bool,
}

impl<W: Write> SealedWriter<W> {
    pub fn new(mut out: W, key: &SecretKey) -> Result<Self, BackupError> {
        let salt: [u8; SALT_LEN] = rand::random();
        let header = [MAGIC, key.fingerprint().as_bytes(), &salt].concat();
        out.write_all(&header).map_err(BackupError::Write)?;
        let parts = SealedParts::new(key, &salt).map_err(|error| BackupError::Write(io::Error::other(error)))?;
        Ok(Self { out, parts, part: Vec::with_capacity(PART + TAG_LEN), ended: false })
    }

    fn end_part(&mut self, place: PartPlace) -> io::Result<()> {
        self.parts.seal(place, &mut self.part).map_err(io::Error::other)?;
        let length = u32::try_from(self.part.len()).map_err(io::Error::other)?;
        let marked = if place == PartPlace::Last { length | LAST } else { length };
        self.out.write_all(&marked.to_be_bytes())?;
        self.out.write_all(&self.part)?;
        self.part.clear();
        Ok(())
    }
}

impl<W: Write> Write for SealedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.ended {
            return Err(io::Error::other("the sealed stream has ended"));
        }
        let taken = bytes.len().min(PART - self.part.len());
        self.part.extend_from_slice(&bytes[..taken]);
        if self.part.len() == PART {
            self.end_part(PartPlace::Inner)?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.ended {
            self.end_part(PartPlace::Last)?;
            self.ended = true;
        }
        self.out.flush()
    }
}

/// A backup to restore, sealed or not.
#[derive(Debug)]
pub enum BackupInput<R> {
    Plain(R),
    Sealed(Box<SealedReader<R>>),
}

/// Opens a file that `backup` wrote, or that was sealed with this key.
pub fn open_backup<R: Read + Seek>(mut input: R, key: Option<&SecretKey>) -> Result<BackupInput<R>, BackupError> {
    let mut begin = Vec::new();
    input.by_ref().take(MAGIC.len() as u64).read_to_end(&mut begin).map_err(BackupError::Read)?;
    match (begin == MAGIC, key) {
        (false, None) => {
            input.rewind().map_err(BackupError::Read)?;
            Ok(BackupInput::Plain(input))
        }
        (false, Some(_)) => Err(BackupError::NotSealed),
        (true, key) => Ok(BackupInput::Sealed(Box::new(SealedReader::new(input, key)?))),
    }
}

/// Opens the parts of a sealed backup while they are read. It can only be rewound, not moved elsewhere.
#[derive(Debug)]
pub struct SealedReader<R> {
    input: R,
    key: SecretKey,
    salt: [u8; SALT_LEN],
    parts: SealedParts,
    part: Vec<u8>,
    /// How much of the part was read.
    at: usize,
    ended: bool,
}

impl<R: Read> SealedReader<R> {
    /// Reads the rest of the header.
    fn new(mut input: R, key: Option<&SecretKey>) -> Result<Self, BackupError> {
        let (mut fingerprint, mut salt) = ([0; FINGERPRINT_LEN], [0; SALT_LEN]);
        let header = input.read_exact(&mut fingerprint).and_then(|()| input.read_exact(&mut salt));
        header.map_err(|_| BackupError::damaged("it ends too early"))?;
        let expected = String::from_utf8_lossy(&fingerprint).into_owned();
        let Some(key) = key else { return Err(BackupError::Sealed(expected)) };
        let given = key.fingerprint();
        if given != expected {
            return Err(BackupError::OtherSealKey { expected, given });
        }
        let parts = SealedParts::new(key, &salt).map_err(|error| BackupError::Read(io::Error::other(error)))?;
        Ok(Self { input, key: key.clone(), salt, parts, part: Vec::new(), at: 0, ended: false })
    }

    fn next_part(&mut self) -> io::Result<()> {
        let mut head = [0; 4];
        self.input.read_exact(&mut head)?;
        let marked = u32::from_be_bytes(head);
        let place = if marked & LAST == 0 { PartPlace::Inner } else { PartPlace::Last };
        let length = usize::try_from(marked & !LAST).map_err(io::Error::other)?;
        if !(TAG_LEN..=PART + TAG_LEN).contains(&length) {
            return Err(altered());
        }
        self.part.resize(length, 0);
        self.at = 0;
        self.input.read_exact(&mut self.part)?;
        if self.parts.open(place, &mut self.part).is_err() {
            self.part.clear();
            return Err(altered());
        }
        self.ended = place == PartPlace::Last;
        if self.ended && self.input.read(&mut [0])? > 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "something follows its end"));
        }
        Ok(())
    }
}

fn altered() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a sealed part was altered")
}

impl<R: Read> Read for SealedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            if self.ended || into.is_empty() {
                return Ok(0);
            }
            self.next_part()?;
        }
        let rest = &self.part[self.at..];
        let taken = rest.len().min(into.len());
        into[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken;
        Ok(taken)
    }
}

impl<R: Read + Seek> Seek for SealedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "a sealed backup can only be rewound"));
        }
        self.input.seek(SeekFrom::Start(HEADER_LEN))?;
        self.parts = SealedParts::new(&self.key, &self.salt).map_err(io::Error::other)?;
        self.part.clear();
        (self.at, self.ended) = (0, false);
        Ok(0)
    }
}

impl<R: Read> Read for BackupInput<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(into),
            Self::Sealed(input) => input.read(into),
        }
    }
}

impl<R: Read + Seek> Seek for BackupInput<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Plain(input) => input.seek(to),
            Self::Sealed(input) => input.seek(to),
        }
    }
}
