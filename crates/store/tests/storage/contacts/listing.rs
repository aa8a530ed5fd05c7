//! The list without a filter, newest first.

use domain::ContactId;
use domain::people::contacts::Contact;
use store::people::contacts::{Window, count_created};

use super::book::{Book, contact};
use crate::fixtures::START;

const ALL: Window = Window { before: None, from: None };

/// Stores twelve contacts and returns their ids, newest first.
async fn stored_dozen(book: &Book) -> Vec<ContactId> {
    let all: Vec<Contact> = (0..12).map(contact).collect();
    book.insert_many(&all).await.unwrap();
    all.iter().rev().map(|contact| contact.id).collect()
}

testkit::both_databases! {
    async fn pages_follow_each_other_newest_first((book, _test) = Book::on) {
        let ids = stored_dozen(&book).await;
        assert_eq!(book.page(ALL, 100, 0).await, ids);
        assert_eq!(book.page(ALL, 5, 4).await, ids[4..9]);
        assert_eq!(book.page(ALL, 5, 11).await, ids[11..]);
        assert!(book.page(ALL, 5, 12).await.is_empty());
        assert_eq!(book.page(Window { before: Some(ids[3]), ..ALL }, 5, 0).await, ids[4..9]);
        // A large limit or offset runs as a long read.
        assert_eq!(book.page(ALL, 5000, 2).await, ids[2..]);
        assert!(book.page(ALL, 5, 5000).await.is_empty());
    }

    async fn a_window_has_its_lower_end_and_not_its_upper((book, _test) = Book::on) {
        let ids = stored_dozen(&book).await;
        assert_eq!(book.page(Window { before: Some(ids[2]), from: Some(ids[7]) }, 100, 0).await, ids[3..=7]);
        assert_eq!(book.page(Window { from: Some(ids[7]), ..ALL }, 100, 6).await, ids[6..=7]);
        assert!(book.page(Window { before: Some(ids[7]), from: Some(ids[7]) }, 100, 0).await.is_empty());
    }

    async fn those_made_between_two_instants_are_counted((book, _test) = Book::on) {
        let ids = stored_dozen(&book).await;
        let made = async |window, first, last| {
            let between = (START.plus_seconds(first), START.plus_seconds(last));
            count_created(&book.db, book.tenant, window, between).await.unwrap()
        };
        assert_eq!(made(ALL, 0, 11).await, 12);
        assert_eq!(made(ALL, 3, 5).await, 3);
        assert_eq!(made(ALL, 12, 99).await, 0);
        // `ids` begins with the newest: contacts 4 to 9 are in this window.
        let window = Window { before: Some(ids[1]), from: Some(ids[7]) };
        assert_eq!(made(window, 0, 11).await, 6);
        assert_eq!(made(window, 8, 11).await, 2);
    }
}
