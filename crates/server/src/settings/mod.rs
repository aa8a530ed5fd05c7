//! The settings: one declaration (`model.rs`), four layers (flags over environment variables over a TOML file over
//! defaults), one typed result. Contains names, defaults, validation and documentation; opens
//! neither database nor socket nor log.

mod catalogue;
mod error;
mod flags;
mod hosts;
mod kind;
mod layers;
mod load;
mod model;
mod names;
mod plans;
mod secret;
mod setting;
mod shapes;
mod show;
mod structured;
#[cfg(test)]
mod tests;
mod text;

pub use error::{InvalidSetting, SettingsError, Source};
pub use load::{Loaded, load};
pub use model::*;
pub use names::{BUILD_VARIABLE, CHANNEL_VARIABLES, CONFIG_ENV, DEFAULT_CONFIG_FILE, TOKEN_VARIABLE};
pub use secret::{DatabaseUrl, Secret};
pub use shapes::{OidcIssuer, OidcProvider, Plan};
pub use show::{for_console, render};
pub use text::{help_text, sample_toml};
