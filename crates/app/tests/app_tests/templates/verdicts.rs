//! The network's reports about templates.

use domain::messaging::templates::{Category, TemplateStatus};
use sandbox::driver::Review;
use testkit::World;

use crate::templates::Templates as _;
use crate::templates::bad::base;
use crate::templates::making::{cut_short, made_elsewhere};

fn review() -> Review {
    Review { name: "order_update".to_owned(), ..Review::default() }
}

/// Sets the network's verdict and processes its report.
async fn judged(world: &World, review: Review) {
    world.sandbox().review(world.tenant(), review).await.unwrap();
    world.later(2).await;
}

testkit::both_databases! {
    async fn every_verdict_is_applied(world = World::simulated) {
        let made = world.create_template(None, base()).await.unwrap();
        world.later(3).await;
        assert_eq!(world.stored(&made).await.status, TemplateStatus::Approved);
        for (verdict, status) in [
            ("PAUSED", TemplateStatus::Paused),
            ("REINSTATED", TemplateStatus::Approved),
            ("FLAGGED", TemplateStatus::Approved),
            ("DISABLED", TemplateStatus::Disabled),
            ("REJECTED", TemplateStatus::Rejected),
        ] {
            let reason = (verdict == "REJECTED").then(|| "INVALID_FORMAT".to_owned());
            judged(&world, Review { verdict: Some(verdict.to_owned()), reason, ..review() }).await;
            assert_eq!(world.stored(&made).await.status, status, "{verdict}");
        }
        assert!(world.stored(&made).await.reason.is_some());
        judged(&world, Review { quality: Some("RED".to_owned()), ..review() }).await;
        assert_eq!(world.stored(&made).await.quality.as_deref(), Some("RED"));
        judged(&world, Review { category: Some("UTILITY".to_owned()), ..review() }).await;
        let now = world.stored(&made).await;
        assert_eq!((now.category, now.status), (Category::Utility, TemplateStatus::Rejected));
        let history = world.app.messaging().templates().history(&world.me(), made.id).await.unwrap();
        let changes: Vec<_> = history.iter().map(|one| (one.change.name(), one.before.as_deref(), one.after.as_str())).collect();
        let statuses = ["DRAFT", "PENDING", "APPROVED", "PAUSED", "APPROVED", "DISABLED", "REJECTED"];
        let reviewed = statuses.windows(2).rev().map(|two| ("status", Some(two[0]), two[1]));
        let first = [("category", Some("MARKETING"), "UTILITY"), ("quality", None, "RED")];
        assert_eq!(changes, first.into_iter().chain(reviewed).collect::<Vec<_>>());
        assert!(history[2].reason.is_some() && history[3].reason.is_none());
    }

    async fn a_verdict_may_arrive_before_the_answer_to_the_submission(world = World::simulated) {
        let draft = cut_short(&world, "en_US").await;
        let at_network = made_elsewhere(&world, &draft.name, &draft.language).await;
        world.later(3).await;
        let now = world.stored(&draft).await;
        assert_eq!((now.status, now.network_id), (TemplateStatus::Approved, Some(at_network.id)));
    }

    async fn a_report_about_a_deleted_template_changes_nothing(world = World::simulated) {
        let made = world.create_template(None, base()).await.unwrap();
        world.app.messaging().templates().delete(&world.me(), app::messaging::templates::TemplateSelector::Id(made.id)).await.unwrap();
        let again = world.create_template(None, base()).await.unwrap();
        world.later(3).await;
        assert_eq!(world.stored(&made).await.status, TemplateStatus::Deleted);
        assert_eq!(world.stored(&again).await.status, TemplateStatus::Approved);
        judged(&world, Review { verdict: Some("PENDING_DELETION".to_owned()), ..review() }).await;
        let gone = world.stored(&again).await;
        assert_eq!((gone.status, gone.deleted_at.is_some()), (TemplateStatus::Deleted, true));
    }
}
