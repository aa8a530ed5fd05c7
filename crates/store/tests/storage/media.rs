//! Stored files: metadata, pieces, removal, and the network's ids.

use domain::messaging::messages::{FetchFailure, Message, MessageDirection, MessageState};
use domain::{ChannelId, Id, MediaId, TenantId};
use store::messaging::media::fetches::{self, ClaimedFetch, PendingFetch, WaitingChannel};
use store::messaging::media::{self, MediaRow, usage};
use store::messaging::messages;
use testkit::database::TestDb;

use crate::fixtures::START;

fn file(complete: bool) -> MediaRow {
    let id = Id::new(START);
    MediaRow {
        id,
        file_name: format!("{id}.pdf"),
        shown_name: "Räume.pdf".to_owned(),
        mime: "application/pdf".to_owned(),
        size: 5,
        complete,
        created_at: START,
        store: None,
        sha256: None,
        message_id: None,
        removed_at: None,
    }
}

async fn stored(test: &TestDb, tenant: TenantId, file: &MediaRow, pieces: &[&[u8]]) {
    let input = (tenant, file.clone(), pieces.iter().map(|piece| piece.to_vec()).collect::<Vec<_>>());
    let write = test.db.write(input, |tx, (tenant, file, pieces)| {
        Box::pin(async move {
            media::insert(tx, *tenant, file).await?;
            for (place, piece) in (0..).zip(pieces) {
                media::add_piece(tx, *tenant, file.id, place, piece).await?;
            }
            Ok::<_, store::Error>(())
        })
    });
    write.await.unwrap();
}

async fn pieces(test: &TestDb, tenant: TenantId, id: MediaId) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(piece) = media::piece(&test.db, tenant, id, i64::try_from(all.len()).unwrap()).await.unwrap() {
        all.push(piece);
    }
    all
}

async fn uploaded(test: &TestDb, id: MediaId, channel: ChannelId, network_id: &'static str, until: domain::Timestamp) {
    let input = (test.tenant, id, channel, network_id, until);
    let write = test.db.write(input, |tx, (tenant, id, channel, network_id, until)| {
        Box::pin(media::save_upload(tx, *tenant, *id, *channel, network_id, *until))
    });
    write.await.unwrap();
}

async fn removed(test: &TestDb, tenant: TenantId, id: MediaId) -> bool {
    let write = test.db.write((tenant, id), |tx, (tenant, id)| Box::pin(media::remove_unused(tx, *tenant, *id, START)));
    write.await.unwrap()
}

/// Claims the due fetches of a channel for ten seconds.
async fn claim(test: &TestDb, channel: ChannelId, now: domain::Timestamp) -> Vec<ClaimedFetch> {
    let channel = WaitingChannel { tenant: test.tenant, channel, due_at: now };
    let write = test.db.write((channel, now), |tx, (channel, now)| {
        Box::pin(fetches::claim(tx, *channel, Id::new(*now), (*now, now.plus_seconds(10)), 10))
    });
    write.await.unwrap()
}

testkit::both_databases! {
    async fn a_file_belongs_to_its_tenant_and_has_all_pieces_when_it_is_complete(test) {
        let (new, other) = (file(false), test.new_tenant("unlimited").await);
        stored(&test, test.tenant, &new, &[b"ab\0", b"\xff"]).await;
        assert_eq!(media::find(&test.db, test.tenant, new.id).await.unwrap(), Some(new.clone()));
        assert_eq!(media::by_file_name(&test.db, test.tenant, &new.file_name).await.unwrap(), Some(new.clone()));
        assert_eq!(pieces(&test, test.tenant, new.id).await, [b"ab\0".to_vec(), b"\xff".to_vec()]);
        assert_eq!(media::find(&test.db, other, new.id).await.unwrap(), None);
        assert_eq!(media::by_file_name(&test.db, other, &new.file_name).await.unwrap(), None);
        assert!(pieces(&test, other, new.id).await.is_empty());
        let complete = || {
            let done = MediaRow { size: 4, sha256: Some([7; 32]), mime: "text/plain".to_owned(), ..new.clone() };
            test.db.write((test.tenant, done), |tx, (tenant, done)| Box::pin(media::complete(tx, *tenant, done)))
        };
        assert!(complete().await.unwrap());
        assert!(!complete().await.unwrap(), "once");
        let found = media::find(&test.db, test.tenant, new.id).await.unwrap().unwrap();
        assert_eq!((found.size, found.complete, found.mime.as_str()), (4, true, "text/plain"));
        assert_eq!(found.sha256, Some([7; 32]));
        assert!(!removed(&test, other, new.id).await);
        let input = (test.tenant, new.id);
        test.db.write(input, |tx, (tenant, id)| Box::pin(media::remove(tx, *tenant, *id))).await.unwrap();
        assert_eq!(media::find(&test.db, test.tenant, new.id).await.unwrap(), None);
        assert!(pieces(&test, test.tenant, new.id).await.is_empty());
    }

    async fn the_networks_id_counts_for_its_channel_and_until_it_ends(test) {
        let (new, here, there) = (file(true), Id::new(START), Id::new(START));
        stored(&test, test.tenant, &new, &[b"hello"]).await;
        uploaded(&test, new.id, here, "1001", START.plus_seconds(60)).await;
        let known = async |channel, at| media::find_upload(&test.db, test.tenant, new.id, channel, at).await.unwrap();
        assert_eq!(known(here, START.plus_seconds(59)).await.as_deref(), Some("1001"));
        assert_eq!(known(here, START.plus_seconds(60)).await, None);
        assert_eq!(known(there, START).await, None);
        uploaded(&test, new.id, here, "1002", START.plus_seconds(90)).await;
        assert_eq!(known(here, START.plus_seconds(60)).await.as_deref(), Some("1002"));
        assert!(removed(&test, test.tenant, new.id).await);
        assert_eq!(known(here, START).await, None);
    }

    async fn a_file_of_a_message_is_not_removed(test) {
        let (used, unused) = (file(true), file(true));
        for new in [&used, &unused] {
            stored(&test, test.tenant, new, &[b"hello"]).await;
        }
        let message = Message {
            media_id: Some(used.id),
            ..Message::bare(Id::new(START), Id::new(START), MessageDirection::Outbound, MessageState::Queued, "document", START)
        };
        let input = (test.tenant, message.clone());
        let write = test.db.write(input, |tx, (tenant, message)| Box::pin(messages::insert(tx, *tenant, message)));
        assert!(write.await.unwrap());
        let first = media::list_after(&test.db, test.tenant, Id::from_bytes([0; 12]), 1).await.unwrap();
        let second = media::list_after(&test.db, test.tenant, first[0].id, 10).await.unwrap();
        let seen: Vec<_> = first.iter().chain(&second).map(|kept| (kept.id, kept.used, kept.created_at)).collect();
        assert_eq!(seen, [(used.id, true, START), (unused.id, false, START)]);
        assert!(!removed(&test, test.tenant, used.id).await);
        assert!(removed(&test, test.tenant, unused.id).await);
        assert_eq!(pieces(&test, test.tenant, used.id).await.len(), 1);
        assert!(pieces(&test, test.tenant, unused.id).await.is_empty());
    }

    async fn a_fetch_is_claimed_once_and_ended_by_its_claim_alone(test) {
        let (channel, message) = (Id::new(START), Id::new(START));
        let new = PendingFetch::new(message, channel, START);
        let input = (test.tenant, [new.clone()]);
        let insert = || test.db.write(input.clone(), |tx, (tenant, new)| Box::pin(fetches::insert_many(tx, *tenant, new)));
        insert().await.unwrap();
        insert().await.unwrap();
        let early = fetches::waiting(&test.db, START.plus_seconds(-1), 1000).await.unwrap();
        assert!(!early.iter().any(|one| one.tenant == test.tenant));
        let first = claim(&test, channel, START).await.pop().unwrap();
        assert_eq!((first.message, first.attempts), (message, 1));
        assert!(claim(&test, channel, START).await.is_empty());
        let until = START.plus_seconds(20);
        assert!(test.db.write(first, move |tx, one| Box::pin(fetches::renew(tx, one, START.plus_seconds(20)))).await.unwrap());
        assert!(claim(&test, channel, START.plus_seconds(19)).await.is_empty());
        let second = claim(&test, channel, until).await.pop().unwrap();
        assert_eq!(second.attempts, 2);
        assert!(!test.db.write(first, |tx, one| Box::pin(fetches::done(tx, one))).await.unwrap(), "it lost the claim");
        let failed = test.db.write(second, |tx, one| {
            Box::pin(fetches::failed(tx, one, None, FetchFailure::Gone, "it is gone"))
        });
        failed.await.unwrap();
        let found = fetches::of_messages(&test.db, test.tenant, &[message, Id::new(START)]).await.unwrap();
        let expected = PendingFetch {
            attempts: 2,
            due_at: None,
            failure: Some(FetchFailure::Gone),
            detail: Some("it is gone".to_owned()),
            ..new.clone()
        };
        assert_eq!(found, vec![expected]);
        assert!(claim(&test, channel, until).await.is_empty());
        let input = (test.tenant, PendingFetch { due_at: Some(until), ..new.clone() });
        test.db.write(input, |tx, (tenant, new)| Box::pin(fetches::request(tx, *tenant, new))).await.unwrap();
        let third = claim(&test, channel, until).await.pop().unwrap();
        assert_eq!(third.attempts, 1);
        test.db.write(third, |tx, one| Box::pin(fetches::release(tx, one, START))).await.unwrap();
        let fourth = claim(&test, channel, START).await.pop().unwrap();
        assert_eq!(fourth.attempts, 1, "an attempt that was given back does not count");
        assert!(test.db.write(fourth, |tx, one| Box::pin(fetches::done(tx, one))).await.unwrap());
        assert!(fetches::of_messages(&test.db, test.tenant, &[message]).await.unwrap().is_empty());
    }

    async fn files_count_up_to_the_quota(test) {
        let add = async |size: i64, quota: i64| {
            let input = (test.tenant, size, quota);
            let write = test.db.write(input, |tx, (tenant, size, quota)| Box::pin(usage::add(tx, *tenant, *size, *quota)));
            write.await.unwrap()
        };
        assert!(!add(11, 10).await && add(10, 10).await && !add(1, 10).await && add(1, 11).await);
        let limits = test.db.write(test.tenant, |tx, tenant| Box::pin(usage::set_limits(tx, *tenant, Some(5), None)));
        limits.await.unwrap();
        let subtract = test.db.write(test.tenant, |tx, tenant| Box::pin(usage::subtract(tx, *tenant, 10)));
        subtract.await.unwrap();
        let found = usage::find(&test.db, test.tenant).await.unwrap();
        assert_eq!((found.bytes, found.files, found.quota, found.keep_days), (1, 1, Some(5), None));
        assert_eq!(usage::find(&test.db, test.new_tenant("unlimited").await).await.unwrap().bytes, 0);
    }
}
