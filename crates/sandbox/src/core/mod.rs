//! Shared by all parts of the sandbox: its handle, randomness, ids, records, and scheduling of webhooks.

pub mod act;
pub mod change;
pub mod config;
pub mod dice;
pub mod fault;
pub mod ids;
pub mod media;
pub mod network_state;
pub mod number_metadata;
pub mod phone_message;
pub mod posting;
pub mod rates;
pub mod records;
pub mod reply;
pub mod scenario_name;
pub mod template;
pub mod upload;

use std::collections::HashSet;
use std::sync::Arc;

use app::App;
use domain::{TenantId, Timestamp};
use parking_lot::Mutex;
use store::Db;

use config::Config;
use dice::Dice;
use ids::Ids;
use posting::PostingState;
use rates::Meter;

/// The sandbox of an installation. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    app: App,
    dice: Dice,
    ids: Ids,
    meter: Meter,
    config: Config,
    posting: PostingState,
    /// Tenants whose simulated people are known to be stored.
    with_people: Mutex<HashSet<TenantId>>,
}

impl Sandbox {
    pub fn new(app: App, config: Config) -> Self {
        // Without a configured seed each start draws its own, so that ids of two starts do not collide.
        let dice = Dice::new(config.seed.unwrap_or_else(rand::random));
        let meter = Meter::new(config.rates);
        Self(Arc::new(Inner {
            ids: Ids::new(dice.clone(), app.clock().clone()),
            posting: PostingState::default(),
            with_people: Mutex::default(),
            app,
            dice,
            meter,
            config,
        }))
    }

    pub fn app(&self) -> &App {
        &self.0.app
    }

    pub fn db(&self) -> &Db {
        self.0.app.db()
    }

    pub fn now(&self) -> Timestamp {
        self.0.app.now()
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The sandbox's only source of randomness besides the choice of a seed.
    pub fn dice(&self) -> &Dice {
        &self.0.dice
    }

    pub fn ids(&self) -> &Ids {
        &self.0.ids
    }

    pub(crate) fn posting(&self) -> &PostingState {
        &self.0.posting
    }

    pub(crate) fn tenants_with_people(&self) -> &Mutex<HashSet<TenantId>> {
        &self.0.with_people
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.0.meter
    }
}
