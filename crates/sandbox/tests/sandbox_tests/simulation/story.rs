//! One story: random steps from the seed, and a log of both sides.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::messaging::messages::MessageState;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use sandbox::driver::{Fail, PlaceCall, Say, Tap};
use serde::Serialize;
use testkit::World;
use testkit::database::TestDb;
use testkit::network::NetworkSettings;

use crate::simulation::business::Sends;

#[derive(Debug)]
pub struct Story {
    pub world: World,
    pub dice: SmallRng,
    pub seed: u64,
    /// Log of all steps and observations; the same for the same seed.
    pub log: Vec<String>,
    pub sends: Sends,
    /// Rank of the last observed state of each message, by network id.
    ranks: BTreeMap<String, i64>,
    /// For each person the phone number, or the BSUID of a person without one.
    people: Vec<String>,
}

/// A step of a story. `STEPS` lists frequent ones more than once.
#[derive(Debug, Clone, Copy)]
enum Step {
    Send,
    Say,
    Tap,
    Call,
    Fault,
    Wait,
    Settle,
    PostOnly,
    WorkOnly,
    Restart,
}

const STEPS: [Step; 16] = [
    Step::Send,
    Step::Send,
    Step::Send,
    Step::Send,
    Step::Say,
    Step::Say,
    Step::Tap,
    Step::Call,
    Step::Fault,
    Step::Fault,
    Step::Wait,
    Step::Wait,
    Step::Settle,
    Step::PostOnly,
    Step::WorkOnly,
    Step::Restart,
];

const FAULTS: [&str; 9] =
    ["refuse", "fail", "server_error", "reset", "accept_then_reset", "duplicate", "reorder", "delay", "batch"];

impl Story {
    pub async fn run(seed: u64, steps: usize) -> Self {
        let settings = NetworkSettings { seed, ..NetworkSettings::default() };
        let world = World::simulation(TestDb::sqlite().await, settings).await;
        let people = world.sandbox().people(world.tenant()).await.unwrap().people;
        let called = people.iter().map(|one| one.phone.clone().unwrap_or_else(|| one.bsuid.clone()));
        let mut story = Self {
            people: called.collect(),
            world,
            dice: SmallRng::seed_from_u64(seed),
            seed,
            log: Vec::new(),
            sends: Sends::default(),
            ranks: BTreeMap::new(),
        };
        for _ in 0..steps {
            story.step().await;
            story.look().await;
        }
        story
    }

    pub fn record(&mut self, what: &str, seen: &impl Serialize) {
        let at = self.world.app.now().micros();
        self.log.push(format!("{at} {what} {}", serde_json::to_string(seen).unwrap()));
    }

    pub fn person(&mut self) -> String {
        self.people.choose(&mut self.dice).unwrap().clone()
    }

    async fn step(&mut self) {
        match *STEPS.choose(&mut self.dice).unwrap() {
            Step::Send => self.send().await,
            Step::Say => self.say().await,
            Step::Tap => self.tap().await,
            Step::Call => self.call().await,
            Step::Fault => self.fault().await,
            Step::Wait => self.wait(),
            Step::Settle => self.world.settle().await,
            Step::PostOnly => self.world.sandbox().post_due().await.map(drop).unwrap(),
            Step::WorkOnly => self.world.app.messaging().process_inbound(&|| false).await.unwrap(),
            Step::Restart => self.world.restart(),
        }
    }

    async fn say(&mut self) {
        let (tenant, person) = (self.world.tenant(), self.person());
        let text = format!("hello {}", self.dice.random_range(0..1000));
        let said = self.world.sandbox().say(tenant, &person, Say { text: Some(text), ..Say::default() }).await.unwrap();
        self.record("said", &said.id);
    }

    /// The person taps the first button of the newest message that has one, if there is any.
    async fn tap(&mut self) {
        let (tenant, person) = (self.world.tenant(), self.person());
        let tapped = self.world.sandbox().tap(tenant, &person, Tap { message: None, button: "0".to_owned() }).await;
        self.record("tapped", &tapped.ok().and_then(|tapped| tapped.said).map(|said| said.id));
    }

    async fn call(&mut self) {
        let (tenant, person) = (self.world.tenant(), self.person());
        let place = PlaceCall {
            seconds: Some(self.dice.random_range(1..30)),
            missed: self.dice.random_bool(0.3),
            channel: None,
        };
        let called = self.world.sandbox().call(tenant, &person, place).await.unwrap();
        self.record("called", &called.id);
    }

    async fn fault(&mut self) {
        let kind = (*FAULTS.choose(&mut self.dice).unwrap()).to_owned();
        let wanted = Fail { kind: kind.clone(), count: Some(self.dice.random_range(1..4)), ..Fail::default() };
        let fault = self.world.sandbox().fail(self.world.tenant(), wanted).await;
        assert!(fault.is_ok(), "{kind}: {fault:?}");
        self.record("fault", &kind);
    }

    fn wait(&mut self) {
        let millis = self.dice.random_range(1..8000);
        self.world.test.clock.advance(Duration::from_millis(millis));
    }

    /// Checks that no state moves backwards and no network id exists twice.
    pub async fn look(&mut self) {
        let (tenant, channel) = (self.world.tenant(), self.world.channel().id);
        let all =
            store::messaging::messages::of_channel(&self.world.test.db, tenant, channel, "", 100_000).await.unwrap();
        let mut seen: BTreeMap<String, i64> = BTreeMap::new();
        for message in all {
            let id = message.network_id.unwrap();
            let rank = message.state.rank();
            assert_eq!(seen.insert(id.clone(), rank), None, "seed {}: {id} twice", self.seed);
            let before = self.ranks.get(&id).copied().unwrap_or(MessageState::Accepted.rank());
            assert!(rank >= before, "seed {}: {id} went back from {before} to {rank}", self.seed);
            if self.ranks.insert(id.clone(), rank) != Some(rank) {
                self.record("is", &(id, message.state, message.sent_at, message.delivered_at, message.read_at));
            }
        }
    }
}
