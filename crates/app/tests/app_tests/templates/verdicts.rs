//! What the network posts about templates.

use domain::templates::{Category, Status};
use sandbox::driver::Review;

use crate::templates::World;
use crate::templates::bad::base;
use crate::templates::making::{cut_short, made_elsewhere};

fn review() -> Review {
    Review { name: "order_update".to_owned(), ..Review::default() }
}

impl World {
    /// The network makes up its mind, and tells.
    async fn judged(&self, review: Review) {
        self.0.sandbox.review(self.0.tenant, review).await.unwrap();
        self.later(2).await;
    }
}

testkit::both_databases! {
    async fn every_verdict_is_followed(test) {
        let world = World::new(&test).await;
        let made = world.create(base()).await.unwrap();
        world.later(3).await;
        assert_eq!(world.now(&made).await.status, Status::Approved);
        for (verdict, status) in [
            ("PAUSED", Status::Paused),
            ("REINSTATED", Status::Approved),
            ("FLAGGED", Status::Approved),
            ("DISABLED", Status::Disabled),
            ("REJECTED", Status::Rejected),
        ] {
            let reason = (verdict == "REJECTED").then(|| "INVALID_FORMAT".to_owned());
            world.judged(Review { verdict: Some(verdict.to_owned()), reason, ..review() }).await;
            assert_eq!(world.now(&made).await.status, status, "{verdict}");
        }
        assert!(world.now(&made).await.reason.is_some());
        world.judged(Review { quality: Some("RED".to_owned()), ..review() }).await;
        assert_eq!(world.now(&made).await.quality.as_deref(), Some("RED"));
        world.judged(Review { category: Some("UTILITY".to_owned()), ..review() }).await;
        let now = world.now(&made).await;
        assert_eq!((now.category, now.status), (Category::Utility, Status::Rejected));
    }

    async fn a_verdict_may_come_before_the_answer_to_the_submission(test) {
        let world = World::new(&test).await;
        let draft = cut_short(&world, "en_US").await;
        let at_network = made_elsewhere(&world, &draft.name, &draft.language).await;
        world.later(3).await;
        let now = world.now(&draft).await;
        assert_eq!((now.status, now.network_id), (Status::Approved, Some(at_network.id)));
    }

    async fn what_is_told_about_a_deleted_template_changes_nothing(test) {
        let world = World::new(&test).await;
        let made = world.create(base()).await.unwrap();
        world.0.app.templates().delete(&world.caller(), app::templates::Which::Id(made.id)).await.unwrap();
        let again = world.create(base()).await.unwrap();
        world.later(3).await;
        assert_eq!(world.now(&made).await.status, Status::Deleted);
        assert_eq!(world.now(&again).await.status, Status::Approved);
        world.judged(Review { verdict: Some("PENDING_DELETION".to_owned()), ..review() }).await;
        let gone = world.now(&again).await;
        assert_eq!((gone.status, gone.deleted_at.is_some()), (Status::Deleted, true));
    }
}
