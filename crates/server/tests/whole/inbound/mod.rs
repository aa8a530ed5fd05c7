//! Posts of the network to the real binary, while servers are killed, and before a backup and a restore. Each record
//! has its effect once.

mod backup;
mod files;
mod kill;
mod story;

use domain::{ChannelId, TenantId};

use crate::home::Home;

pub const TENANT: TenantId = TenantId::FIRST;
/// The app secret, with which the network signs.
pub const APP_SECRET: &str = "the-app-secret-of-the-shop";
pub const ACCESS_TOKEN: &str = "the-access-token-of-the-shop";
pub const NUMBER: &str = "14155552671";
pub const NUMBER_ID: &str = "106540352242922";
pub const ACCOUNT_ID: &str = "102290129340398";

/// Adds a channel whose secrets are known here.
pub fn add_channel(home: &Home, network: &str) -> ChannelId {
    for (file, secret) in [("token", ACCESS_TOKEN), ("secret", APP_SECRET)] {
        std::fs::write(home.file(file), secret).unwrap();
    }
    let added = home.run(&format!(
        "channel create --tenant {TENANT} --name Shop --phone-number +{NUMBER} --phone-number-id {NUMBER_ID} \
         --account-id {ACCOUNT_ID} --network {network} --access-token-file token --app-secret-file secret"
    ));
    added["id"].as_str().unwrap().parse().unwrap()
}
