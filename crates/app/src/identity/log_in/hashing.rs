//! Hashing and verifying passwords with argon2id, on threads of their own, so that no other blocking work delays a
//! log-in, and log-ins delay no other work.

use argon2::password_hash::{PasswordHash, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use store::WorkPool;

use crate::{Fault, Result};

/// Most hashes at a time; on a machine with one or two processors it is one. Each takes 19 MiB and tens of
/// milliseconds: this bounds what many log-ins at once can use.
const MAX_CONCURRENT: usize = 2;
/// Most hashes that wait for a thread, a few seconds of work. Further requests are refused and may be tried again.
const MOST_WAITING: usize = 64;

/// How much memory and time a hash takes. The default is what argon2 recommends.
#[derive(Debug, Clone, Default)]
pub struct PasswordCost(Params);

impl PasswordCost {
    /// The least there is: for tests that are about something else.
    pub fn least() -> Self {
        let least = Params::new(Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST, None);
        Self(least.unwrap_or_default())
    }

    /// Verified when no account has the e-mail address, so that the answer takes as long as after a wrong password. No
    /// password fits it.
    fn dummy_hash(&self) -> String {
        let (memory, passes, parallelism) = (self.0.m_cost(), self.0.t_cost(), self.0.p_cost());
        format!(
            "$argon2id$v=19$m={memory},t={passes},p={parallelism}$c3dpdGNoYm9hcmQtbm9ib2R5$3dVGTNA5SRZnOUoZ2hCoxDOv+ewJ4dYFYjAwVhJwhQ4"
        )
    }
}

#[derive(Debug)]
pub struct Hashing {
    threads: WorkPool,
    cost: PasswordCost,
}

#[boxed::futures]
impl Hashing {
    pub fn new(cost: PasswordCost) -> Self {
        Self { threads: WorkPool::with_at_most("passwords", MAX_CONCURRENT, MOST_WAITING), cost }
    }

    pub async fn hash(&self, password: String) -> Result<String> {
        let cost = self.cost.clone();
        Ok(self.threads.run(move || hash(&password, cost)).await?.ok_or(Fault::Hashing)?)
    }

    /// True if the password fits the hash. Without a hash, does the same work and returns false.
    pub async fn verify(&self, password: String, hash: Option<String>) -> Result<bool> {
        let is_known = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.cost.dummy_hash());
        Ok(self.threads.run(move || verify(&password, &hash)).await? && is_known)
    }
}

fn hash(password: &str, cost: PasswordCost) -> Option<String> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.0);
    let salt = SaltString::encode_b64(&rand::random::<[u8; 16]>()).ok()?;
    argon2.hash_password(password.as_bytes(), &salt).ok().map(|hash| hash.to_string())
}

/// True if the password fits the hash, which names its own cost.
fn verify(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|parsed| Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_fits_and_the_dummy_hash_costs_as_much() {
        for cost in [PasswordCost::default(), PasswordCost::least()] {
            let stored = hash("correct horse battery", cost.clone()).unwrap();
            assert!(verify("correct horse battery", &stored));
            assert!(!verify("correct horse batterx", &stored));
            assert!(!verify("anything", &cost.dummy_hash()));
            let parameters = |text: &str| text.split('$').take(4).collect::<Vec<_>>().join("$");
            assert_eq!(parameters(&cost.dummy_hash()), parameters(&stored));
            assert!(PasswordHash::new(&cost.dummy_hash()).is_ok());
        }
        assert!(hash("one", PasswordCost::default()).unwrap().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    }
}
