//! Names of the config file and of environment variables.

/// Prefix of environment variables; the key follows in capitals, with `_` for `.`.
pub(super) const ENV_PREFIX: &str = "SWITCHBOARD_";

/// Environment variable for the config file, like `--config`.
pub const CONFIG_ENV: &str = "SWITCHBOARD_CONFIG";

/// Config file in the working directory, if neither `--config` nor `SWITCHBOARD_CONFIG` names another.
pub const DEFAULT_CONFIG_FILE: &str = "switchboard.toml";

/// Variable of the build script of `web-console`, not a setting. `SWITCHBOARD_UI=require cargo run` sets it for the
/// server too, which must not warn of it.
pub const BUILD_VARIABLE: &str = "SWITCHBOARD_UI";

/// Variables of `switchboard channel`, not settings: a channel's access token, app secret and verify token.
pub const CHANNEL_VARIABLES: [&str; 3] =
    ["SWITCHBOARD_CHANNEL_ACCESS_TOKEN", "SWITCHBOARD_CHANNEL_APP_SECRET", "SWITCHBOARD_CHANNEL_VERIFY_TOKEN"];

/// Variable of `switchboard listen`, not a setting: the token for another server.
pub const TOKEN_VARIABLE: &str = "SWITCHBOARD_TOKEN";
