//! Sealing of a long stream in parts, with a key. Each part is encrypted and authenticated with its number and whether
//! it is the last one. So a part that was changed, moved, repeated or left out, and a stream that was cut off, cannot
//! be opened (the STREAM construction).

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use super::keys::{NotSealed, Purpose, SecretKey};

/// Bytes of a salt. Each stream has a random one, and by it a key of its own, so that no key is used twice with the
/// same nonce.
pub const SALT_LEN: usize = 32;
/// By how many bytes sealing makes a part longer.
pub const TAG_LEN: usize = 16;

/// Where a part is in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartPlace {
    Inner,
    Last,
}

/// Seals or opens the parts of one stream, in their order.
pub struct SealedParts {
    key: LessSafeKey,
    next: u64,
}

impl std::fmt::Debug for SealedParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealedParts").field("next", &self.next).finish_non_exhaustive()
    }
}

impl SealedParts {
    /// For the stream with this salt.
    pub fn new(key: &SecretKey, salt: &[u8; SALT_LEN]) -> Result<Self, NotSealed> {
        let of_stream = zeroize::Zeroizing::new(key.subkey(Purpose::Backup).mac(salt));
        let key = UnboundKey::new(&AES_256_GCM, of_stream.as_slice()).map_err(|_| NotSealed)?;
        Ok(Self { key: LessSafeKey::new(key), next: 0 })
    }

    /// Seals the next part in place.
    pub fn seal(&mut self, place: PartPlace, part: &mut Vec<u8>) -> Result<(), NotSealed> {
        let nonce = self.take_nonce(place)?;
        self.key.seal_in_place_append_tag(nonce, Aad::empty(), part).map_err(|_| NotSealed)
    }

    /// Opens the next part in place.
    pub fn open(&mut self, place: PartPlace, part: &mut Vec<u8>) -> Result<(), NotSealed> {
        let nonce = self.take_nonce(place)?;
        let length = self.key.open_in_place(nonce, Aad::empty(), part).map_err(|_| NotSealed)?.len();
        part.truncate(length);
        Ok(())
    }

    fn take_nonce(&mut self, place: PartPlace) -> Result<Nonce, NotSealed> {
        let mut nonce = [0; NONCE_LEN];
        nonce[0] = u8::from(place == PartPlace::Last);
        nonce[NONCE_LEN - 8..].copy_from_slice(&self.next.to_be_bytes());
        self.next = self.next.checked_add(1).ok_or(NotSealed)?;
        Ok(Nonce::assume_unique_for_key(nonce))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: [u8; SALT_LEN] = [7; SALT_LEN];

    fn sealed(key: &SecretKey, parts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut sealer = SealedParts::new(key, &SALT).unwrap();
        let seal = |(at, part): (usize, &&[u8])| {
            let place = if at + 1 == parts.len() { PartPlace::Last } else { PartPlace::Inner };
            let mut part = part.to_vec();
            sealer.seal(place, &mut part).unwrap();
            part
        };
        parts.iter().enumerate().map(seal).collect()
    }

    fn opened(key: &SecretKey, salt: &[u8; SALT_LEN], parts: &[Vec<u8>]) -> Result<Vec<u8>, NotSealed> {
        let mut opener = SealedParts::new(key, salt)?;
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let place = if at + 1 == parts.len() { PartPlace::Last } else { PartPlace::Inner };
            let mut part = part.clone();
            opener.open(place, &mut part)?;
            all.extend(part);
        }
        Ok(all)
    }

    #[test]
    fn a_stream_opens_with_its_key_and_its_salt_only() {
        let key = SecretKey::random();
        let parts = sealed(&key, &[b"one", b"", b"three"]);
        assert_eq!(parts[0].len(), 3 + TAG_LEN);
        assert_eq!(opened(&key, &SALT, &parts).unwrap(), b"onethree");
        assert_eq!(opened(&SecretKey::random(), &SALT, &parts), Err(NotSealed));
        assert_eq!(opened(&key, &[8; SALT_LEN], &parts), Err(NotSealed));
    }

    #[test]
    fn a_part_that_is_changed_moved_repeated_or_left_out_is_found() {
        let key = SecretKey::random();
        let parts = sealed(&key, &[b"one", b"two", b"six"]);
        for at in 0..parts.len() {
            let mut changed = parts.clone();
            changed[at][0] ^= 1;
            assert_eq!(opened(&key, &SALT, &changed), Err(NotSealed), "changed {at}");
            let mut without = parts.clone();
            without.remove(at);
            assert_eq!(opened(&key, &SALT, &without), Err(NotSealed), "without {at}");
            let mut twice = parts.clone();
            twice.insert(at, parts[at].clone());
            assert_eq!(opened(&key, &SALT, &twice), Err(NotSealed), "twice {at}");
        }
        let mut swapped = parts.clone();
        swapped.swap(0, 1);
        assert_eq!(opened(&key, &SALT, &swapped), Err(NotSealed));
        assert_eq!(opened(&key, &SALT, &parts[..2]), Err(NotSealed), "cut off");
    }
}
