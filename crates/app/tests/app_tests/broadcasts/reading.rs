//! End to end: each recipient has the status that follows from what happened, with the reason if nothing arrived.

use app::Error;
use app::inbox::conversations::PageRequest;
use app::messaging::broadcasts::{BroadcastFilter, RecipientFilter};
use domain::messaging::broadcasts::RecipientStatus;
use domain::messaging::messages::{Message, MessageState};
use sandbox::driver::{Fail, Say};

use crate::broadcasts::world::{Broadcasts as _, INVALID_NUMBER, campaigner, counted, people, standing};

testkit::both_databases! {
    async fn recipients_go_from_the_queue_to_read_and_replied(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let statuses = async || world.recipients(id).await.iter().map(|one| one.status).collect::<Vec<_>>();
        assert_eq!(statuses().await[..12], [RecipientStatus::Queued; 12]);
        world.leave().await;
        assert_eq!(statuses().await[..12], [RecipientStatus::Sending; 12]);
        world.later(120).await;
        assert_eq!(statuses().await[..12], [RecipientStatus::Read; 12]);
        let person = people()[4].clone();
        let inbox = world.sandbox().inbox(world.tenant(), &person, 1).await.unwrap();
        let reply_to = Some(inbox.messages[0].id.clone());
        let say = Say { text: Some("Yes, please".to_owned()), reply_to, ..Say::default() };
        world.sandbox().say(world.tenant(), &person, say).await.unwrap();
        world.later(10).await;
        let all = world.recipients(id).await;
        assert_eq!(standing(&counted(&all)), [(RecipientStatus::Read, 11), (RecipientStatus::Replied, 1), (RecipientStatus::Failed, 2)]);
        let of_person = all.iter().find(|one| one.contact.as_ref().is_some_and(|it| it.phone.as_ref() == Some(&person)));
        let of_person = of_person.unwrap();
        assert_eq!((of_person.status, of_person.contact.as_ref().unwrap().name.as_str()), (RecipientStatus::Replied, "Person 1004"));
        assert!(of_person.network_id.is_some() && of_person.failure.is_none());
    }

    async fn a_message_with_an_unknown_outcome_is_not_counted_as_being_sent(world = campaigner) {
        let accepted = world.campaign(None).await;
        world.leave().await;
        world.later(120).await;
        let lost = accepted.recipients.iter().find_map(|one| one.message_id).unwrap();
        let write = world.app.db().write((world.tenant(), lost), |tx, (tenant, id)| Box::pin(async move {
            let found = store::messaging::messages::by_id_for_update(tx, *tenant, *id).await?;
            let message = Message { state: MessageState::Unknown, ..found.ok_or(store::Error::Column(0))? };
            store::messaging::messages::update(tx, *tenant, &message).await
        }));
        write.await.unwrap();
        let shown = world.find(accepted.broadcast_id).await;
        let expected = [(RecipientStatus::Unknown, 1), (RecipientStatus::Read, 11), (RecipientStatus::Failed, 2)];
        assert_eq!(standing(&shown.statistics.by_status), expected);
        assert_eq!((shown.view.status.name(), shown.statistics.get(RecipientStatus::Sending)), ("sent", 0));
        assert_eq!(standing(&counted(&world.recipients(accepted.broadcast_id).await)), expected);
    }

    async fn an_undelivered_message_has_the_networks_reason(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let fail = Fail { kind: "fail".to_owned(), person: Some(people()[7].clone()), ..Fail::default() };
        world.sandbox().fail(world.tenant(), fail).await.unwrap();
        world.leave().await;
        world.later(120).await;
        let all = world.recipients(id).await;
        let failed: Vec<_> = all[..12].iter().filter(|one| one.status == RecipientStatus::Failed).collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].contact.as_ref().unwrap().phone.as_ref(), Some(&people()[7]));
        let trouble = failed[0].failure.as_ref().unwrap();
        assert_eq!(trouble.code, Some(131_026));
        assert!(trouble.detail().is_some_and(|detail| !detail.is_empty()));
    }

    async fn refused_recipients_come_last_with_the_reason(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let all = world.recipients(id).await;
        let behind = &all[12..];
        assert_eq!(behind.iter().map(|one| one.target.as_deref().unwrap()).collect::<Vec<_>>(), [INVALID_NUMBER, &people()[0]]);
        for one in behind {
            let trouble = one.failure.as_ref().unwrap();
            assert!(trouble.code.is_some() && trouble.detail().unwrap().starts_with("phone_number: "));
            assert_eq!((one.status, &one.network_id), (RecipientStatus::Failed, &None));
        }
        // Each refused recipient has an id, which is the same at every read.
        assert_eq!(world.recipients(id).await, all);
        assert_ne!(behind[0].id, behind[1].id);
        let page = PageRequest::new(3, 6).unwrap();
        let last = world.app.messaging().broadcasts().recipients(&world.me(), id, &RecipientFilter::default(), page).await.unwrap();
        assert_eq!(last.recipients, behind);
    }

    async fn a_deleted_person_is_still_counted_and_otherwise_erased(world = campaigner) {
        let id = world.campaign(None).await.broadcast_id;
        let phone = people()[0].clone();
        let contact = world.app.people().contacts().delete(&world.me(), &phone).await.unwrap();
        let all = world.recipients(id).await;
        assert_eq!(all.len(), 14);
        assert!(!format!("{all:?}").contains(&phone));
        // The person is there once with a stopped message, and once among the refused recipients.
        let theirs: Vec<_> = all.iter().filter(|one| one.contact_id == Some(contact)).collect();
        assert_eq!(theirs.iter().map(|one| one.status).collect::<Vec<_>>(), [RecipientStatus::Stopped, RecipientStatus::Failed]);
        assert!(theirs.iter().all(|one| one.target.is_none() && one.params.is_empty()));
    }

    async fn lists_keep_to_days_and_channels(world = campaigner) {
        let first = world.campaign(None).await.broadcast_id;
        world.later(60).await;
        let noon = world.now();
        let second = world.campaign(None).await.broadcast_id;
        let list = async |filter: BroadcastFilter| {
            let page = PageRequest::new(1, 10).unwrap();
            let (found, total) = world.app.messaging().broadcasts().list(&world.me(), &filter, page).await.unwrap();
            assert_eq!(usize::try_from(total), Ok(found.len()));
            found.into_iter().map(|one| one.broadcast.id).collect::<Vec<_>>()
        };
        assert_eq!(list(BroadcastFilter::default()).await, [second, first]);
        let noon = noon.to_millis();
        assert_eq!(list(BroadcastFilter { from: Some(noon), ..BroadcastFilter::default() }).await, [second]);
        assert_eq!(list(BroadcastFilter { to: Some(noon.plus_seconds(-1)), ..BroadcastFilter::default() }).await, [first]);
        assert_eq!(list(BroadcastFilter { channel: Some("sandbox".to_owned()), ..BroadcastFilter::default() }).await, [second, first]);
        let unknown = BroadcastFilter { channel: Some("Nowhere".to_owned()), ..BroadcastFilter::default() };
        let overview = world.app.messaging().broadcasts().overview(&world.me(), &unknown).await;
        assert!(matches!(overview, Err(Error::NoChannel { ref name, .. }) if name == "Nowhere"));
        let overview = world.app.messaging().broadcasts().overview(&world.me(), &BroadcastFilter::default()).await.unwrap();
        assert_eq!(standing(&overview.by_status), [(RecipientStatus::Queued, 24), (RecipientStatus::Failed, 4)]);
    }
}
