//! Due times of random conversations, compared with a count of every few seconds.

mod count;
mod properties;
