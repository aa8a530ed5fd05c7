//! Look-ups of contacts by id, identity and terms.

use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Contact, Term, segment_term, terms};
use domain::{ContactId, Id, SegmentId};
use rand::RngExt as _;
use store::Engine;
use store::people::contacts::{Window, rarest_first};

use super::book::{Book, contact, view_text};
use crate::fixtures::{START, random};

fn segment(number: u64) -> SegmentId {
    Id::seeded(START, number)
}

/// Contact `number`, a member of the segments whose numbers divide `number`.
fn in_segments(number: u32) -> Contact {
    let own = (1..=6).filter(|divisor| u64::from(number).is_multiple_of(*divisor)).map(segment).collect();
    Contact { segments: own, ..contact(number) }
}

/// The terms that a list compares in the database: the first two on SQLite, the first four on PostgreSQL.
fn compared(engine: Engine, wanted: &[Term]) -> &[Term] {
    let most = if engine == Engine::Sqlite { 2 } else { 4 };
    &wanted[..wanted.len().min(most)]
}

/// The expected contacts, newest first. At most four terms are compared.
fn expected(all: &[Contact], wanted: &[Term], window: Window, limit: usize) -> Vec<ContactId> {
    let inside =
        |id: ContactId| window.before.is_none_or(|before| id < before) && window.from.is_none_or(|from| id >= from);
    let has = |contact: &&Contact| wanted.iter().take(4).all(|term| terms(contact).contains(term));
    let mut ids: Vec<ContactId> = all.iter().filter(has).map(|contact| contact.id).filter(|id| inside(*id)).collect();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.truncate(limit);
    ids
}

testkit::both_databases! {
    async fn by_id_and_by_former_id((book, _test) = Book::on) {
        let (kept, merged) = (contact(1), contact(2));
        book.insert(&kept).await.unwrap();
        assert_eq!(book.show(kept.id).await, Some(view_text(&kept)));
        assert_eq!(book.show(merged.id).await, None);
        let former = Identity::seen(IdentityKind::Id, &merged.id.to_string(), START);
        book.save_identity(kept.id, &former).await.unwrap();
        assert_eq!(book.show(merged.id).await, Some(view_text(&kept)));
        assert_eq!(book.known_by(IdentityKind::Id, &merged.id.to_string()).await, Some(kept));
        assert_eq!(book.for_update(merged.id).await, None, "the row itself is gone");
    }

    async fn by_number_and_bsuid_but_not_by_handle((book, _test) = Book::on) {
        let (one, other) = (contact(1), contact(2));
        book.insert_many(&[one.clone(), other]).await.unwrap();
        for (kind, value) in [(IdentityKind::Phone, "14155550001"), (IdentityKind::Bsuid, "US.1")] {
            assert_eq!(book.show_known_by(kind, value).await, Some(view_text(&one)), "{value}");
            assert_eq!(book.known_by(kind, value).await.as_ref(), Some(&one), "{value}");
        }
        for (kind, value) in [(IdentityKind::Phone, "US.1"), (IdentityKind::Bsuid, "14155550001"), (IdentityKind::Phone, "1415555000")] {
            assert_eq!(book.show_known_by(kind, value).await, None, "{value}");
            assert_eq!(book.known_by(kind, value).await, None, "{value}");
        }
        assert_eq!(book.show_known_by(IdentityKind::Username, "person1").await, None, "a handle may be several people's");
        assert_eq!(book.by_username("person1").await, Some(one.id));
    }

    async fn many_by_their_numbers((book, _test) = Book::on) {
        let all: Vec<Contact> = (1..4).map(contact).collect();
        book.insert_many(&all).await.unwrap();
        let found = book.known_by_any(IdentityKind::Phone, &["14155550003", "14155550009", "14155550001", "it's \"odd\""]).await;
        assert_eq!(found, [("14155550001".to_owned(), all[0].clone()), ("14155550003".to_owned(), all[2].clone())]);
        assert_eq!(book.known_by_any(IdentityKind::Bsuid, &["US.2"]).await, [("US.2".to_owned(), all[1].clone())]);
        assert_eq!(book.known_by_any(IdentityKind::Phone, &[]).await, []);
        let keys = [Identity::seen(IdentityKind::Phone, "14155550002", START), Identity::seen(IdentityKind::Bsuid, "US.2", START),
            Identity::seen(IdentityKind::Bsuid, "US.1", START), Identity::seen(IdentityKind::Bsuid, "US.9", START)];
        assert_eq!(book.holders(&keys).await, [all[1].id, all[0].id], "each once");
    }

    async fn those_with_given_ids_in_their_order((book, _test) = Book::on) {
        let all: Vec<Contact> = (0..50).map(contact).collect();
        book.insert_many(&all).await.unwrap();
        let wanted: Vec<&Contact> = all.iter().rev().step_by(7).collect();
        let mut ids: Vec<ContactId> = wanted.iter().map(|contact| contact.id).collect();
        ids.insert(3, Id::seeded(START, 999));
        let expected: Vec<String> = wanted.into_iter().map(view_text).collect();
        assert_eq!(book.show_each(&ids).await, expected);
        assert!(book.show_each(&[]).await.is_empty());
    }

    async fn candidates_have_all_terms_that_are_compared(test) {
        let book = Book::new(&test);
        let all: Vec<Contact> = (1..=120).map(in_segments).collect();
        book.insert_many(&all).await.unwrap();
        let mut rng = random(5);
        let whole = Window::default();
        for round in 0..40 {
            let mut wanted: Vec<Term> = (0..rng.random_range(0..=5)).map(|_| segment_term(segment(rng.random_range(1..=6)))).collect();
            if round % 10 == 9 {
                wanted.push(segment_term(segment(77)));
            }
            let mut bound = || rng.random::<bool>().then(|| contact(rng.random_range(0..=121)).id);
            let (window, limit) = (Window { before: bound(), from: bound() }, rng.random_range(1..30));
            let candidates = expected(&all, compared(test.db.engine(), &wanted), window, limit);
            let limit = i64::try_from(limit).unwrap();
            assert_eq!(book.candidates(&wanted, window, limit).await.0, candidates, "{wanted:?} {window:?}");
            let whole_count = expected(&all, &wanted, window, usize::MAX).len();
            let count = (1..=4).contains(&wanted.len()).then(|| i64::try_from(whole_count).unwrap());
            assert_eq!(book.count_exact(&wanted, window).await, count, "{wanted:?} {window:?}");
        }
        // A large limit runs as a long read.
        assert_eq!(book.candidates(&[segment_term(segment(1))], whole, 5000).await.0.len(), 120);
        assert_eq!(book.candidates(&[], whole, 5000).await.0.len(), 120);
    }

    async fn two_lists_are_walked_whatever_their_lengths((book, _test) = Book::on) {
        let marks = [1, 2, 3, 40, 700];
        let marked = |number: u32| {
            let own = marks.iter().filter(|mark| number.is_multiple_of(**mark)).map(|mark| segment(u64::from(*mark)));
            Contact { name: String::new(), custom_params: vec![], segments: own.collect(), ..contact(number) }
        };
        let all: Vec<Contact> = (1..=4200).map(marked).collect();
        book.insert_many(&all).await.unwrap();
        for (rarer, other) in [(2, 1), (3, 2), (2, 3), (40, 1), (40, 3), (1, 40), (700, 1), (700, 3)] {
            let wanted = [rarer, other].map(|mark| segment_term(segment(mark)));
            let (mut window, mut seen) = (Window::default(), vec![]);
            loop {
                let (ids, reached) = book.candidates(&wanted, window, 170).await;
                seen.extend(ids);
                match reached {
                    Some(place) => window.before = Some(place),
                    None => break,
                }
            }
            assert_eq!(seen, expected(&all, &wanted, Window::default(), 5000), "{rarer} {other}");
        }
    }

    async fn stretches_oldest_first_make_up_the_whole((book, _test) = Book::on) {
        let all: Vec<Contact> = (1..=60).map(in_segments).collect();
        book.insert_many(&all).await.unwrap();
        let window = Window { before: Some(contact(55).id), from: Some(contact(4).id) };
        for numbers in [&[][..], &[2], &[2, 3], &[2, 3, 4], &[1, 2, 3, 6], &[1, 2, 3, 4, 5]] {
            let wanted: Vec<Term> = numbers.iter().map(|number| segment_term(segment(*number))).collect();
            let (mut seen, mut after) = (vec![], None);
            loop {
                let stretch = book.page_oldest_first(&wanted, window, after, 7).await;
                let Some(last) = stretch.last() else { break };
                assert!(after.is_none_or(|after| after < stretch[0]), "{numbers:?}: it goes on");
                after = Some(*last);
                seen.extend(stretch);
            }
            seen.reverse();
            assert_eq!(seen, expected(&all, &wanted, window, 100), "{numbers:?}");
        }
    }

    async fn the_rarest_term_comes_first((book, _test) = Book::on) {
        let own = |number: u32| match number {
            0 => vec![segment(1), segment(2), segment(3)],
            1..80 => vec![segment(1), segment(2)],
            _ => vec![segment(1)],
        };
        let all: Vec<Contact> = (0..90).map(|number| Contact { segments: own(number), ..contact(number) }).collect();
        book.insert_many(&all).await.unwrap();
        let [common, older, single] = [1, 2, 3].map(|number| segment_term(segment(number)));
        let ranked = rarest_first(&book.db, book.tenant, &[common, older, single]).await.unwrap();
        assert_eq!(ranked, [single, older, common]);
        assert_eq!(rarest_first(&book.db, book.tenant, &[common]).await.unwrap(), [common]);
        assert!(rarest_first(&book.db, book.tenant, &[]).await.unwrap().is_empty());
        let nobodys = segment_term(segment(77));
        assert_eq!(rarest_first(&book.db, book.tenant, &[common, nobodys]).await.unwrap(), [nobodys, common]);
        // Of many terms, only a sample is returned.
        let many = terms(&all[0]);
        let sample = rarest_first(&book.db, book.tenant, &many).await.unwrap();
        assert!((4..=8).contains(&sample.len()) && sample.iter().all(|term| many.contains(term)), "{sample:?}");
    }
}
