//! A dry run reports what an import would do, and changes nothing.

use app::people::imports::{ImportEnd, LocalFile};
use domain::people::imports::Import;
use testkit::World;

use crate::imports::world::{Imports as _, local, people, phone};

async fn dry(world: &World, text: &str) -> Import {
    let file = LocalFile { dry_run: true, ..local(text) };
    let run = world.run(world.tenant(), file, usize::MAX).await.unwrap();
    assert_eq!(run.ended, ImportEnd::Done);
    run.import
}

/// A file whose later rows depend on earlier ones in many ways.
fn tangled() -> String {
    let block = |n: usize| {
        [
            format!("{},,Ada {n},Bern,true,\n", phone(1)),
            format!("{},DE.{n},,,,\n", phone(100 + n)),
            format!(",DE.{n},By BSUID,,false,Sales;Support\n"),
            format!("{},,,,false,sales;SUPPORT;sales\n", phone(100 + n)),
            format!("{},DE.{n},,Bern,,\n", phone(2)),
            "letters,,,,,\n".to_owned(),
            format!("{},,,Zürich,,\n", phone(3)),
        ]
        .concat()
    };
    ["phone,bsuid,name,city,opted_in,teams\n".to_owned()].into_iter().chain((0..8).map(block)).collect()
}

testkit::both_databases! {
    async fn a_dry_run_predicts_every_verdict_and_changes_nothing(world = World::new) {
        world.import(people(5)).await;
        world.import("phone,bsuid,name\n14155550003,DE.3,Known by two\n").await;
        let before = world.contacts().await;
        world.advance(60);
        let predicted = dry(&world, &tangled()).await;
        assert_eq!(world.contacts().await, before);
        assert_eq!(predicted.counts.rows, 56);
        let real = world.import(tangled()).await;
        assert_eq!(predicted.counts, real.counts);
        assert!(real.counts.created > 0 && real.counts.updated > 0 && real.counts.unchanged > 0 && real.counts.rejected > 8);
        let kinds = |verdicts: Vec<serde_json::Value>| -> Vec<(String, String)> {
            verdicts.iter().map(|one| (one["verdict"].to_string(), one["column"].to_string())).collect()
        };
        assert_eq!(kinds(world.verdicts(predicted.id).await), kinds(world.verdicts(real.id).await));
        assert_ne!(world.contacts().await, before);
    }

    async fn an_interrupted_dry_run_starts_over(world = World::new) {
        let file = || LocalFile { dry_run: true, ..local(tangled()) };
        let stopped = world.run(world.tenant(), file(), 2).await.unwrap();
        assert_eq!((stopped.ended, stopped.import.counts.rows), (ImportEnd::Stopped, 6));
        let done = world.run(world.tenant(), file(), usize::MAX).await.unwrap();
        assert_eq!((done.import.id, done.import.counts.rows), (stopped.import.id, 56));
        let real = world.import(tangled()).await;
        assert_eq!(done.import.counts, real.counts);
        assert_eq!(world.verdicts(done.import.id).await.len(), 56);
    }
}
