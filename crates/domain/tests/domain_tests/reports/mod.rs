//! The arithmetic of reports against simpler calculations.

mod grouping;
mod histograms;
mod intervals;
