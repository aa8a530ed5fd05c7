//! Backups that are sealed with a key: they hide what they hold, and open with their key only, whole and unchanged.

use std::io::{Cursor, Write as _};

use domain::base::keys::SecretKey;
use store::platform::backup::{BackupError, SealedWriter, Summary, backup, open_backup, restore};

use crate::fresh::{Fresh, Shared, clock, on_both, unpacked};
use crate::rows::fill;

async fn sealed(fresh: &Fresh, key: &SecretKey) -> Vec<u8> {
    let out = Shared::default();
    let writer = SealedWriter::new(out.clone(), key).unwrap();
    backup(&fresh.db, &clock(), writer, None, |_| {}).await.unwrap();
    out.take()
}

async fn opened(fresh: &Fresh, file: &[u8], key: Option<&SecretKey>) -> Result<Summary, BackupError> {
    let input = open_backup(Cursor::new(file.to_vec()), key)?;
    restore(&fresh.db, input, true, |_, _| {}).await
}

on_both! {
    async fn a_sealed_backup_is_restored_with_its_key(fresh) {
        fill(&fresh.db).await;
        let (key, plain) = (SecretKey::random(), fresh.backup().await);
        let file = sealed(fresh, &key).await;
        assert_ne!(file, sealed(fresh, &key).await, "each has a salt of its own");
        let summary = opened(fresh, &file, Some(&key)).await.unwrap();
        assert!(summary.total() > 100);
        assert_eq!(fresh.backup().await, plain);
        // What is not sealed is restored as before.
        opened(fresh, &plain, None).await.unwrap();
    }

    async fn a_sealed_backup_does_not_open_without_its_key(fresh) {
        fill(&fresh.db).await;
        let (key, other, plain) = (SecretKey::random(), SecretKey::random(), fresh.backup().await);
        let file = sealed(fresh, &key).await;
        let wrong = opened(fresh, &file, Some(&other)).await.unwrap_err();
        let (expected, given) = (key.fingerprint(), other.fingerprint());
        assert!(matches!(&wrong, BackupError::OtherSealKey { expected: one, given: two } if (one, two) == (&expected, &given)), "{wrong}");
        assert!(matches!(opened(fresh, &file, None).await, Err(BackupError::Sealed(of)) if of == key.fingerprint()));
        assert!(matches!(opened(fresh, &plain, Some(&key)).await, Err(BackupError::NotSealed)));
        let unopened = fresh.replace(&file).await;
        assert!(matches!(unopened, Err(BackupError::NotABackup)), "{unopened:?}");
        let begin = &unpacked(&plain)[..40];
        assert!(!String::from_utf8_lossy(&file).contains(begin) && !file.windows(16).any(|part| plain.starts_with(part)));
        assert_eq!(fresh.backup().await, plain);
    }

    async fn a_sealed_backup_that_was_cut_or_changed_is_refused(fresh) {
        fill(&fresh.db).await;
        let (key, plain) = (SecretKey::random(), fresh.backup().await);
        let file = sealed(fresh, &key).await;
        for length in (0..file.len()).step_by(file.len() / 40) {
            assert!(opened(fresh, &file[..length], Some(&key)).await.is_err(), "{length} of {} bytes", file.len());
        }
        for at in (0..file.len()).step_by(file.len() / 40) {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(opened(fresh, &changed, Some(&key)).await.is_err(), "byte {at}");
        }
        let longer = [file.clone(), vec![0]].concat();
        let error = opened(fresh, &longer, Some(&key)).await.unwrap_err();
        assert!(error.to_string().contains("follows"), "{error}");
        assert_eq!(fresh.backup().await, plain, "nothing was restored");
    }
}

#[test]
fn a_long_stream_has_many_parts_and_an_end() {
    let (key, out) = (SecretKey::random(), Shared::default());
    let text: Vec<u8> = (0..300_000_u32).flat_map(u32::to_be_bytes).collect();
    let mut writer = SealedWriter::new(out.clone(), &key).unwrap();
    for piece in text.chunks(1000) {
        writer.write_all(piece).unwrap();
    }
    let without_end = out.0.lock().unwrap().clone();
    writer.flush().unwrap();
    assert!(writer.write_all(b"more").is_err());
    let read = |file: Vec<u8>| -> std::io::Result<Vec<u8>> {
        let (mut input, mut all) = (open_backup(Cursor::new(file), Some(&key)).unwrap(), Vec::new());
        std::io::Read::read_to_end(&mut input, &mut all)?;
        std::io::Seek::rewind(&mut input)?;
        let mut again = Vec::new();
        std::io::Read::read_to_end(&mut input, &mut again)?;
        assert!(again == all);
        Ok(all)
    };
    assert!(read(out.take()).unwrap() == text);
    assert_eq!(read(without_end).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
}
