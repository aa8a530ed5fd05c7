//! Opening files of messages in both directions.

use app::messaging::media::name_in_history;
use app::{Command, Error};
use domain::Id;
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use sandbox::driver::{Image, Say};
use testkit::World;

use crate::media::sweeping::sent;
use crate::media::world::{app_on, bytes_of, noise, stored};

const ADA: &str = "14155550132";

/// Lets Ada send a picture, and returns the stored message.
async fn picture_from_ada(world: &World) -> Message {
    let say = Say { image: Some(Image { caption: Some("Look".to_owned()) }), ..Say::default() };
    world.sandbox().say(world.tenant(), ADA, say).await.unwrap();
    world.advance(5);
    world.settle().await;
    let all = store::messaging::messages::of_channel(&world.test.db, world.tenant(), world.channel().id, "", 10)
        .await
        .unwrap();
    all.into_iter().find(|one| one.kind == "image").unwrap()
}

fn is_missing<T>(outcome: &Result<T, Error>) -> bool {
    matches!(outcome, Err(Error::NotFound(app::Thing::File)))
}

testkit::both_databases! {
    async fn a_sent_file_comes_from_its_pieces(test) {
        let (app, me, bytes) = (app_on(&test, &[]), Command(test.tenant), noise(600_000));
        let file = stored(&app, test.tenant, "a.png", "", &bytes).await;
        let message = sent(&app, &test, file.id, "image").await;
        assert_eq!(name_in_history(&message), Some(format!("{}.jpg", message.id)), "by its kind");
        for opened in [
            app.messaging().media().open(&me, message.id).await.unwrap(),
            app.messaging().media().open_named(&me, &name_in_history(&message).unwrap()).await.unwrap(),
            app.messaging().media().open_named(&me, &message.id.to_string()).await.unwrap(),
        ] {
            assert_eq!((opened.mime.as_str(), opened.name.as_str(), opened.length), ("image/png", "a.png", Some(600_000)));
            assert!(bytes_of(opened).await == bytes);
        }
        let foreign = Command(test.new_tenant("unlimited").await);
        assert!(is_missing(&app.messaging().media().open(&foreign, message.id).await));
        assert!(is_missing(&app.messaging().media().open_named(&foreign, &message.id.to_string()).await));
    }

    async fn a_received_file_comes_from_the_network_while_it_has_it(world = World::simulated) {
        let message = picture_from_ada(&world).await;
        let (media, me) = (world.app.messaging().media(), Command(world.tenant()));
        let name = name_in_history(&message).unwrap();
        assert_eq!(name, format!("{}.png", message.id));
        for opened in [media.open(&me, message.id).await.unwrap(), media.open_named(&me, &name).await.unwrap()] {
            assert_eq!((opened.mime.as_str(), opened.name.as_str()), ("image/png", name.as_str()));
            let length = opened.length;
            let bytes = bytes_of(opened).await;
            assert!(bytes.starts_with(b"\x89PNG") && length == Some(bytes.len() as u64));
        }
        let content: serde_json::Value = serde_json::from_str(message.content.as_deref().unwrap()).unwrap();
        world.graph().await.delete_media(content["image"]["id"].as_str().unwrap()).await.unwrap();
        assert!(is_missing(&media.open(&me, message.id).await));
    }

    async fn a_message_without_a_file_has_none_to_open(test) {
        let (app, me) = (app_on(&test, &[]), Command(test.tenant));
        let now = app.now().to_millis();
        for (kind, content) in [
            ("text", Some("{\"type\":\"text\",\"text\":{\"body\":\"Hi\"}}")),
            ("image", None),
            ("image", Some("no JSON")),
            ("image", Some("{\"type\":\"image\",\"image\":{\"link\":\"https://example.com/a.jpg\"}}")),
            // The message's channel does not exist.
            ("image", Some("{\"type\":\"image\",\"image\":{\"id\":\"1\"}}")),
        ] {
            let message = Message {
                content: content.map(str::to_owned),
                ..Message::bare(Id::new(now), Id::new(now), MessageDirection::Inbound, MessageState::RECEIVED, kind, now)
            };
            let input = (test.tenant, message.clone());
            let write = test.db.write(input, |tx, (tenant, message)| Box::pin(store::messaging::messages::insert(tx, *tenant, message)));
            assert!(write.await.unwrap());
            assert!(is_missing(&app.messaging().media().open(&me, message.id).await), "{kind} {content:?}");
        }
        for name in ["", "a.jpg", "../../etc/passwd", "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439011.jpg", "%", "🦀"] {
            assert!(is_missing(&app.messaging().media().open_named(&me, name).await), "{name}");
        }
    }
}
