//! Logging in: where a log-in comes from, what follows the right password, and the account that it verified.

mod equal_work;
pub mod failed_attempts;
pub mod hashing;
pub(crate) mod password;
mod source;
mod step;
pub(crate) mod tries;
mod verified;

pub(crate) use equal_work::EqualWork;
pub use source::LogInSource;
pub use step::LogInStep;
pub(crate) use verified::{VerifiedPassword, count_log_in};
