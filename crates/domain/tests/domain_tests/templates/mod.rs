//! Templates and values: tables of refused ones, and the results of valid ones.

mod bad;
mod fills;
mod good;
mod limits;

use bad::{BAD, base};

const TRACKED: &str = "https://wa.example.com/c/{{1}}";

#[test]
fn the_base_of_the_table_is_valid() {
    base().checked(Some(TRACKED)).unwrap();
}

#[test]
fn every_bad_template_is_refused_at_its_member() {
    for (number, (change, path, message)) in BAD.iter().enumerate() {
        let mut new = base();
        change(&mut new);
        let problem = new.checked(Some(TRACKED)).expect_err(&format!("row {number}: {path}: {message}"));
        assert_eq!((problem.place.to_string().as_str(), problem.message.as_str()), (*path, *message), "row {number}");
    }
    assert!(BAD.len() >= 90, "{}", BAD.len());
}

#[test]
fn links_are_tracked_only_with_a_public_url() {
    let mut new = base();
    new.click_tracking = true;
    assert_eq!(new.checked(Some(TRACKED)).unwrap().content.tracked_url.as_deref(), Some(TRACKED));
    let problem = new.checked(None).unwrap_err();
    assert_eq!(problem.to_string(), "click_tracking: links can only be tracked if the server's public_url is set");
}
