//! Hashing and verifying passwords with argon2id, on threads of their own, so that no other blocking work delays a
//! log-in, and log-ins delay no other work.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use store::WorkPool;

use crate::{Fault, Result};

/// Most hashes at a time. Each takes 19 MiB and tens of milliseconds: this bounds what many log-ins at once can use.
const MAX_CONCURRENT: usize = 2;
/// Most hashes that wait for a thread, about two seconds of work. Further requests are refused and may be tried again.
const MOST_WAITING: usize = 64;

/// Verified when no account has the e-mail address, so that the answer takes as long as after a wrong password.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c3dpdGNoYm9hcmQtbm9ib2R5$3dVGTNA5SRZnOUoZ2hCoxDOv+ewJ4dYFYjAwVhJwhQ4";

#[derive(Debug)]
pub struct Hashing(WorkPool);

impl Default for Hashing {
    fn default() -> Self {
        Self(WorkPool::new("passwords", MAX_CONCURRENT, MOST_WAITING))
    }
}

impl Hashing {
    pub async fn hash(&self, password: String) -> Result<String> {
        Ok(self.0.run(move || hash(&password)).await?.ok_or(Fault::Hashing)?)
    }

    /// True if the password fits the hash. Without a hash, does the same work and returns false.
    pub async fn verify(&self, password: String, hash: Option<String>) -> Result<bool> {
        Ok(self.0.run(move || verify(&password, hash.as_deref())).await?)
    }
}

fn hash(password: &str) -> Option<String> {
    Argon2::default().hash_password(password.as_bytes()).ok().map(|hash| hash.to_string())
}

fn verify(password: &str, hash: Option<&str>) -> bool {
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(DUMMY_HASH)) else { return false };
    Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && hash.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_fits_and_the_dummy_hash_is_a_real_one() {
        let stored = hash("correct horse battery").unwrap();
        assert!(verify("correct horse battery", Some(&stored)));
        assert!(!verify("correct horse batterx", Some(&stored)));
        assert!(!verify("anything", None));
        let parameters = |text: &str| text.split('$').take(4).collect::<Vec<_>>().join("$");
        assert_eq!(parameters(DUMMY_HASH), parameters(&stored));
        assert!(PasswordHash::new(DUMMY_HASH).is_ok());
    }
}
