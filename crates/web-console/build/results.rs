//! Results of earlier builds below the target folder, by the hash of their sources.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::embed::check_built;

/// More results than this are removed, the oldest first: each is about a megabyte, and work on `ui/` makes many.
const KEPT_RESULTS: usize = 20;

#[derive(Debug)]
pub struct Results {
    folder: PathBuf,
}

impl Results {
    pub fn new(out: &Path) -> Self {
        Self { folder: target_folder(out).join("console") }
    }

    /// Locks the results, after waiting for another build that shares the target folder. The lock ends with the
    /// returned file.
    pub fn lock(&self) -> io::Result<File> {
        fs::create_dir_all(self.folder.join("built"))?;
        let lock = File::create(self.folder.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    pub fn find(&self, hash: &str) -> Option<PathBuf> {
        let folder = self.folder.join("built").join(hash);
        check_built(&folder).is_ok().then_some(folder)
    }

    /// The folder in which npm works. It is kept between builds, with the installed packages.
    pub fn work_folder(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Moves a built folder to the results, removes the oldest results, and returns the new place.
    pub fn keep(&self, built: &Path, hash: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join("built").join(hash);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::rename(built, &folder)?;
        self.remove_oldest()?;
        Ok(folder)
    }

    fn remove_oldest(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(self.folder.join("built"))? {
            let entry = entry?;
            kept.push((entry.metadata()?.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
        }
        kept.sort();
        let surplus = kept.len().saturating_sub(KEPT_RESULTS);
        kept.iter().take(surplus).try_for_each(|(_, folder)| fs::remove_dir_all(folder))
    }
}

/// The target folder of cargo. `OUT_DIR` is `<target>/<profile>/build/<package>/out`, with one folder more if a target
/// triple is given. The target folder is recognized by the file `CACHEDIR.TAG`, which cargo writes into it.
fn target_folder(out: &Path) -> PathBuf {
    let candidates = || out.ancestors().skip(4);
    let marked = candidates().take(3).find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.or_else(|| candidates().next()).unwrap_or(out).to_owned()
}
