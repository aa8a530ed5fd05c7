//! Every `switchboard sandbox` command beside a running server, as whoever tries things out uses it: what it answers,
//! with and without `--json`, and what it leads to.

mod acting;
mod deciding;
mod failing;
mod keeping;
mod links;
mod ordering;
mod paying;
mod refusing;
pub mod shop;
mod switched_off;
