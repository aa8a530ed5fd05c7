//! Contacts on real databases: resolving sightings, merging and undoing, deleting, isolation of tenants, lists.

mod computing;
mod deleting;
mod lists;
mod many;
mod merging;
mod people;
mod racing;
mod sightings;
mod tenants;
pub mod world;

/// The number of cases to run: `long` if `SWITCHBOARD_TEST_LONG` is set.
fn cases(ordinary: u32, long: u32) -> u32 {
    if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { long } else { ordinary }
}

/// Runs `case` for `cases` random inputs and shrinks a failing one.
fn for_all<T: std::fmt::Debug>(cases: u32, input: &impl proptest::strategy::Strategy<Value = T>, case: impl Fn(T)) {
    // Failing inputs are printed, not stored in a file.
    let config =
        proptest::test_runner::Config { cases, max_shrink_iters: 300, failure_persistence: None, ..Default::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let outcome = runner.run(input, |input| {
        case(input);
        Ok(())
    });
    outcome.unwrap();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
