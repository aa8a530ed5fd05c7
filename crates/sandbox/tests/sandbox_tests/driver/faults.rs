//! Faults on webhooks: duplicates, another order, delays, batches.

use sandbox::driver::Fail;

use crate::driver::world::{street, texts};

fn fault(kind: &str) -> Fail {
    Fail { kind: kind.to_owned(), ..Fail::default() }
}

testkit::both_databases! {
    async fn a_duplicate_is_the_same_bytes_again(world = street) {
        world.sandbox.fail(world.tenant(), Fail { copies: Some(3), ..fault("duplicate") }).await.unwrap();
        world.says("one").await;
        let posts = world.posts().await;
        assert_eq!(posts.len(), 3);
        assert!(posts.iter().all(|post| post.body == posts[0].body));
        world.says("two").await;
        assert_eq!(world.posts().await.len(), 1, "used up");
    }

    async fn reordering_waits_for_two_changes_and_swaps_them(world = street) {
        world.sandbox.fail(world.tenant(), fault("reorder")).await.unwrap();
        world.says("one").await;
        assert!(world.posts().await.is_empty(), "waits for another");
        world.advance(1);
        world.says("two").await;
        let posts = world.posts().await;
        assert_eq!(posts.iter().flat_map(|post| texts(&post.records())).collect::<Vec<_>>(), ["two", "one"]);
    }

    async fn a_single_change_is_posted_after_a_while(world = street) {
        world.sandbox.fail(world.tenant(), fault("reorder")).await.unwrap();
        world.says("one").await;
        let next = world.sandbox.post_due().await.unwrap();
        assert_eq!(next, Some(world.test.clock.now().plus_seconds(5)));
        world.advance(5);
        assert_eq!(texts(&world.records().await), ["one"]);
        assert_eq!(world.sandbox.faults(world.tenant()).await.unwrap().faults.len(), 1, "it has not struck yet");
    }

    async fn a_delay_moves_everything_that_is_due(world = street) {
        world.sandbox.fail(world.tenant(), Fail { seconds: Some(90), count: Some(2), ..fault("delay") }).await.unwrap();
        world.says("one").await;
        world.says("two").await;
        assert!(world.posts().await.is_empty());
        world.advance(89);
        assert!(world.posts().await.is_empty());
        world.advance(2);
        assert_eq!(texts(&world.records().await), ["one", "two"], "once each, though it strikes twice");
    }

    async fn a_batch_has_an_entry_for_each_change(world = street) {
        world.sandbox.fail(world.tenant(), Fail { size: Some(4), ..fault("batch") }).await.unwrap();
        for text in ["one", "two", "three"] {
            world.says(text).await;
        }
        assert!(world.posts().await.is_empty(), "waits to be full");
        for text in ["four", "five"] {
            world.says(text).await;
        }
        let posts = world.posts().await;
        assert_eq!(posts.len(), 2);
        assert_eq!(posts[0].json()["entry"].as_array().unwrap().len(), 4);
        assert_eq!(texts(&posts[0].records()), ["one", "two", "three", "four"]);
        assert_eq!(texts(&posts[1].records()), ["five"]);
    }

    async fn faults_are_counted_listed_and_cleared(world = street) {
        let tenant = world.tenant();
        world.sandbox.fail(tenant, Fail { count: Some(2), ..fault("duplicate") }).await.unwrap();
        let ordered = Fail { code: Some(131_049), person: Some("@deepa_rao".to_owned()), ..fault("fail") };
        world.sandbox.fail(tenant, ordered).await.unwrap();
        world.says("one").await;
        assert_eq!(world.posts().await.len(), 2);
        let shown = serde_json::to_value(world.sandbox.faults(tenant).await.unwrap()).unwrap();
        let faults = shown["faults"].as_array().unwrap();
        let (first, second) = (&faults[0], &faults[1]);
        assert_eq!((&first["kind"], &first["copies"], &first["left"]), (&"duplicate".into(), &2.into(), &1.into()));
        assert_eq!((&second["kind"], &second["code"]), (&"fail".into(), &131_049.into()));
        assert!(second["person"].as_str().unwrap().starts_with("IN."));
        assert_eq!(world.sandbox.clear_faults(tenant).await.unwrap(), 2);
        world.says("two").await;
        assert_eq!(world.posts().await.len(), 1);
    }

    async fn members_without_meaning_are_refused(world = street) {
        for (wanted, parameter) in [
            (fault("flood"), "kind"),
            (Fail { count: Some(0), ..fault("reset") }, "count"),
            (Fail { status: Some(404), ..fault("server_error") }, "status"),
            (Fail { status: Some(404), ..fault("lookup_error") }, "status"),
            (Fail { person: Some("@deepa_rao".to_owned()), ..fault("lookup_error") }, "person"),
            (Fail { copies: Some(3), ..fault("reorder") }, "copies"),
            (Fail { person: Some("@deepa_rao".to_owned()), ..fault("delay") }, "person"),
            (Fail { size: Some(1), ..fault("batch") }, "size"),
        ] {
            let error = world.sandbox.fail(world.tenant(), wanted).await.unwrap_err();
            assert!(matches!(&error, app::Error::Invalid { place: named, .. } if named.to_string() == parameter), "{error}");
        }
        let unknown_person = Fail { person: Some("nobody".to_owned()), ..fault("reset") };
        assert!(matches!(world.sandbox.fail(world.tenant(), unknown_person).await, Err(app::Error::NotFound(app::Thing::Person))));
    }
}
