//! Every recipient has one status, and the counts agree with the recipients, under random steps in random order.

use app::messaging::broadcasts::BroadcastFilter;
use domain::messaging::broadcasts::RecipientStatus;
use domain::messaging::messages::MessageState;
use domain::{BroadcastId, MessageId};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use sandbox::driver::Fail;
use testkit::World;
use testkit::world::OnWorld;

use crate::broadcasts::world::{Broadcasts as _, campaigner, counted, standing};

const STEPS: usize = 30;
const REPORTS: [MessageState; 6] = [
    MessageState::Sent,
    MessageState::Delivered,
    MessageState::Read,
    MessageState::Replied,
    MessageState::Failed,
    MessageState::Expired,
];

const KINDS: [&str; 5] = ["reset", "accept_then_reset", "refuse", "server_error", "fail"];

fn seeds() -> u64 {
    if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { 50 } else { 3 }
}

trait Counting: OnWorld {
    async fn check(self, id: BroadcastId, seed: u64) {
        let shown = self.find(id).await;
        let expected = counted(&self.recipients(id).await);
        assert_eq!(shown.statistics.by_status, expected, "seed {seed}");
        assert_eq!(shown.statistics.total(), 14, "seed {seed}: {:?}", standing(&shown.statistics.by_status));
        let overview =
            self.app.messaging().broadcasts().overview(&self.me(), &BroadcastFilter::default()).await.unwrap();
        assert_eq!(overview, shown.statistics, "seed {seed}");
    }

    /// Applies a report about a random message, even about one that was not sent.
    async fn report(self, messages: &[MessageId], rng: &mut StdRng) {
        let id = messages[rng.random_range(0..messages.len())];
        let reported = REPORTS[rng.random_range(0..REPORTS.len())];
        let input = (self.tenant(), id, reported);
        let write = self.app.db().write(input, |tx, (tenant, id, reported)| {
            Box::pin(async move {
                let mut message = store::messaging::messages::by_id_for_update(tx, *tenant, *id)
                    .await?
                    .ok_or(store::Error::Column(0))?;
                message.state = message.state.advanced(*reported);
                store::messaging::messages::update(tx, *tenant, &message).await
            })
        });
        write.await.unwrap();
    }

    async fn happens(self, messages: &[MessageId], broadcast: BroadcastId, rng: &mut StdRng) {
        match rng.random_range(0..10) {
            0..3 => self.later(rng.random_range(1..40)).await,
            3..6 => drop(self.leave().await),
            6..8 => self.report(messages, rng).await,
            8 => {
                let kind = KINDS[rng.random_range(0..KINDS.len())].to_owned();
                let fail = Fail { kind, count: Some(2), ..Fail::default() };
                self.sandbox().fail(self.tenant(), fail).await.unwrap();
            }
            _ => drop(self.app.messaging().broadcasts().cancel(&self.me(), broadcast).await),
        }
    }
}

impl Counting for &World {}

testkit::both_databases! {
    async fn counts_add_up_under_random_sends_reports_faults_and_stops(test) {
        let engine = test.db.engine();
        for seed in 0..seeds() {
            let mut rng = StdRng::seed_from_u64(seed);
            let world = campaigner(engine).await;
            let scheduled = rng.random_bool(0.5).then(|| world.now().plus_seconds(60));
            let accepted = world.campaign(scheduled).await;
            let messages: Vec<MessageId> = accepted.recipients.iter().filter_map(|one| one.message_id).collect();
            world.check(accepted.broadcast_id, seed).await;
            for _ in 0..STEPS {
                world.happens(&messages, accepted.broadcast_id, &mut rng).await;
                world.check(accepted.broadcast_id, seed).await;
            }
        }
    }

    async fn counts_add_up_while_messages_leave_and_are_reported(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let (done, mut is_done) = tokio::sync::watch::channel(false);
        let leaving = async {
            for _ in 0..6 {
                world.leave().await;
                world.later(10).await;
            }
            done.send_replace(true);
        };
        let reading = async {
            let mut reads = 0;
            while !*is_done.borrow_and_update() {
                assert_eq!(world.find(id).await.statistics.total(), 14);
                reads += 1;
                tokio::task::yield_now().await;
            }
            reads
        };
        let ((), reads) = tokio::join!(leaving, reading);
        assert!(reads > 1);
        assert_eq!(standing(&world.find(id).await.statistics.by_status), [(RecipientStatus::Read, 12), (RecipientStatus::Failed, 2)]);
    }
}
