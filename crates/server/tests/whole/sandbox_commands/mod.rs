//! Every `switchboard sandbox` command next to a running server: its output with and without `--json`, and its effects.

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
