//! Reports: what is measured about conversations, and the arithmetic that merges it. Pure; the caller reads the facts
//! and stores the counts.
//!
//! `ConversationProgress` turns the facts of one conversation into measurements. Measurements are summed for each
//! quarter hour, because the hours and days of every zone begin on one: durations as histograms (`DurationHistogram`),
//! since medians cannot be added. `grouped` merges quarter hours into days, weeks or hours of the week of a zone.

mod histogram;
mod intervals;
mod measures;
mod quarters;

pub use histogram::{DurationHistogram, MAX_SECONDS, NotAHistogram};
pub use intervals::{ConversationFact, ConversationProgress, Measurement};
pub use measures::{MeasureUnit, ReportMeasure};
pub use quarters::{HourOfWeek, Quarter, grouped, quarters_of};
