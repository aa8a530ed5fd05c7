//! Contacts on real databases: who is one person, merging and undoing, deleting, other tenants, lists.

mod deleting;
mod lists;
mod many;
mod merging;
mod people;
mod racing;
mod sightings;
mod tenants;
mod world;

/// With `SWITCHBOARD_TEST_LONG` set, tests that have a long form take it.
fn cases(ordinary: u32, long: u32) -> u32 {
    if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { long } else { ordinary }
}

/// Runs `case` for so many random inputs and shrinks what fails.
fn for_all<T: std::fmt::Debug>(cases: u32, input: &impl proptest::strategy::Strategy<Value = T>, case: impl Fn(T)) {
    // What failed is printed; there is no file to keep it in.
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
