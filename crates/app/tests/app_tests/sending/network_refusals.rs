//! What happens when the network refuses everything of a channel, a template or a file: messages wait or fail with the
//! cause in words, the channel and the template show the problem, and sending continues when it is repaired.

use std::time::Duration;

use app::messaging::media::content;
use app::messaging::messages::{SendProgress, SessionBody, SessionSend};
use channels::graph::{Captioned, Class, Content, MediaRef, Outgoing, Recipient};
use channels::transport::full;
use domain::messaging::channels::ChannelProblem;
use domain::messaging::messages::MessageState;
use domain::messaging::templates::{Template, TemplateFilter, TemplateStatus};
use sandbox::driver::{Review, SetNumber};
use testkit::World;
use testkit::outgoing::use_up;

use crate::media::world::stored;
use crate::sending::world::{ADA, NEWS, Sending as _, business, template_send, text_send, to};

const DAY: Duration = Duration::from_hours(24);
const ALMOST_A_DAY: Duration = Duration::from_secs(86_399);

async fn set(world: &World, state: SetNumber) {
    world.sandbox().set_number(world.tenant(), state).await.unwrap();
}

fn registered(registered: bool) -> SetNumber {
    SetNumber { registered: Some(registered), ..SetNumber::default() }
}

fn token(state: &str) -> SetNumber {
    SetNumber { token: Some(state.to_owned()), ..SetNumber::default() }
}

async fn problem(world: &World) -> Option<ChannelProblem> {
    world.app.messaging().channels().list(&world.me()).await.unwrap().remove(0).problem
}

/// Sets the network's verdict on the template; its report is not processed yet.
async fn review(world: &World, verdict: &str) {
    let review = Review { name: NEWS.to_owned(), verdict: Some(verdict.to_owned()), ..Review::default() };
    world.sandbox().review(world.tenant(), review).await.unwrap();
}

async fn template(world: &World) -> Template {
    let filter = TemplateFilter { limit: 100, ..TemplateFilter::default() };
    let all = world.app.messaging().templates().list(&world.me(), None, filter).await.unwrap().templates;
    all.into_iter().find(|one| one.name == NEWS).unwrap()
}

testkit::both_databases! {
    async fn a_channel_that_the_network_does_not_serve_is_marked_and_its_messages_wait(world = business) {
        for (broken, repaired, code, says) in [
            (registered(false), registered(true), 133_010, "the number is not registered with the network (code 133010)"),
            (token("expired"), token("valid"), 190, "the access token has expired or was withdrawn (code 190)"),
            (token("no_permission"), token("valid"), 10, "the app lacks a permission (code 10)"),
        ] {
            world.say(ADA, "hello?").await;
            assert_eq!(problem(&world).await, None);
            set(&world, broken).await;
            let sent = world.send_message(text_send(ADA, "still here")).await.unwrap().message.id;
            let SendProgress::Until(again) = world.leave().await else { panic!("it must wait") };
            let marked = problem(&world).await.unwrap();
            assert_eq!((marked.code, marked.since), (Some(code), world.now().to_millis()));
            assert!(marked.message.starts_with(says), "{}", marked.message);
            assert_eq!(world.state(sent).await, MessageState::Queued);
            // The next attempt is refused too: the problem keeps its first time.
            world.wait_until(again);
            world.leave().await;
            assert_eq!(problem(&world).await.unwrap().since, marked.since);
            set(&world, repaired).await;
            world.drain().await;
            assert_eq!(world.state(sent).await, MessageState::Submitted);
            assert_eq!(problem(&world).await, None, "{code}");
            assert_eq!(world.inbox(ADA).await[0], "still here");
        }
    }

    async fn a_check_finds_the_problem_and_ends_its_mark(world = business) {
        world.say(ADA, "hello?").await;
        let findings = async || world.app.messaging().channels().check(&world.me(), "Sandbox").await.unwrap();
        for (broken, repaired, what) in [
            (registered(false), registered(true), "registration"),
            (token("expired"), token("valid"), "access token and phone number id"),
            (token("no_permission"), token("valid"), "access token and phone number id"),
        ] {
            set(&world, broken).await;
            world.send_message(text_send(ADA, "still here")).await.unwrap();
            world.leave().await;
            let bad: Vec<_> = findings().await.into_iter().filter(|finding| !finding.ok).map(|finding| finding.what).collect();
            assert_eq!(bad, [what]);
            assert!(problem(&world).await.is_some());
            set(&world, repaired).await;
            assert!(findings().await.iter().all(|finding| finding.ok));
            assert_eq!(problem(&world).await, None);
            world.drain().await;
        }
    }

    async fn messages_wait_for_a_template_that_is_paused(world = business) {
        review(&world, "PAUSED").await;
        let accepted = world.send_template(template_send(NEWS, vec![to(ADA)])).await.unwrap();
        let id = accepted.recipients[0].message_id.unwrap();
        world.leave().await;
        assert_eq!((world.state(id).await, template(&world).await.status), (MessageState::Queued, TemplateStatus::Approved));
        world.later(1).await;
        assert_eq!(template(&world).await.status, TemplateStatus::Paused);
        let refused = world.send_template(template_send(NEWS, vec![to(ADA)])).await;
        assert!(refused.is_err(), "{refused:?}");
        review(&world, "REINSTATED").await;
        world.later(1).await;
        world.drain().await;
        assert_eq!((world.state(id).await, template(&world).await.status), (MessageState::Submitted, TemplateStatus::Approved));
        assert_eq!(problem(&world).await, None);
    }

    async fn a_template_that_is_disabled_fails_the_message_and_shows_it(world = business) {
        review(&world, "DISABLED").await;
        let accepted = world.send_template(template_send(NEWS, vec![to(ADA)])).await.unwrap();
        world.drain().await;
        let message = world.message(accepted.recipients[0].message_id.unwrap()).await;
        assert_eq!(message.state, MessageState::Failed);
        let error = message.error.unwrap();
        assert_eq!((error.code, error.title.as_deref()), (Some(132_016), Some("the template is disabled because of its quality")));
        assert_eq!(template(&world).await.status, TemplateStatus::Disabled);
        assert!(world.send_template(template_send(NEWS, vec![to(ADA)])).await.is_err());
        // The report arrives late and changes nothing; a later verdict counts.
        world.later(1).await;
        assert_eq!(template(&world).await.status, TemplateStatus::Disabled);
        review(&world, "REINSTATED").await;
        world.later(1).await;
        assert_eq!(template(&world).await.status, TemplateStatus::Approved);
    }

    async fn a_file_that_the_network_forgot_is_uploaded_again(world = business) {
        let file = stored(&world.app, world.tenant(), "plan.pdf", "application/pdf", b"%PDF-1.7 plan").await;
        let body = || SessionBody { content: content(&file, None), text: None, media_id: Some(file.id) };
        let send = || SessionSend { body: body(), ..text_send(ADA, "") };
        world.say(ADA, "hello?").await;
        for round in 1..=3 {
            let sent = world.send_message(send()).await.unwrap().message.id;
            world.drain().await;
            assert_eq!(world.state(sent).await, MessageState::Submitted, "{round}");
            if round == 2 {
                // The file was uploaded once for both messages.
                let forgotten = world.sandbox().forget_media(world.tenant(), None).await.unwrap();
                assert_eq!(forgotten.forgotten, 1);
            }
        }
        // If the file itself is at fault, the message fails after one more upload.
        let broken = Content::Image(Captioned { source: MediaRef::Id(file.id.to_string()), caption: None });
        let body = SessionBody { content: broken, text: None, media_id: Some(file.id) };
        let sent = world.send_message(SessionSend { body, ..text_send(ADA, "") }).await.unwrap().message.id;
        world.drain().await;
        let message = world.message(sent).await;
        assert_eq!((message.state, message.error.unwrap().code), (MessageState::Failed, Some(131_009)));
    }

    async fn calls_to_the_network_take_connections_of_their_tenant(world = business) {
        let (graph, tenant) = (world.graph().await, world.tenant());
        let used_up = use_up(world.app.outgoing(), tenant);
        let error = graph.app_id().await.unwrap_err();
        assert!(error.to_string().contains("connections"), "{error}");
        drop(used_up);
        graph.app_id().await.unwrap();
    }

    async fn files_end_30_days_after_the_upload_and_7_days_after_a_person_sent_them(world = business) {
        let (tenant, channel) = (world.tenant(), world.channel().id);
        let graph = world.graph().await;
        let received = world.sandbox().add_media(tenant, channel, "image/png", &"four".into()).await.unwrap().id;
        let uploaded = graph.upload("image/png", "a.png", 4, full("four")).await.unwrap();
        let image = |id: &str| Outgoing {
            recipient: Recipient::Phone(ADA.to_owned()),
            content: Content::Image(Captioned { source: MediaRef::Id(id.to_owned()), caption: None }),
            reply_to: None,
            callback_data: None,
        };
        world.test.clock.advance(6 * DAY + ALMOST_A_DAY);
        graph.media(&received).await.unwrap();
        world.advance(1);
        let error = graph.media(&received).await.unwrap_err();
        assert_eq!((error.class, error.code, error.subcode), (Class::Refuse, Some(100), Some(33)), "{error}");
        let error = graph.send(&image(&received)).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
        world.test.clock.advance(22 * DAY + ALMOST_A_DAY);
        graph.send(&image(&uploaded)).await.unwrap();
        world.advance(1);
        let error = graph.send(&image(&uploaded)).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
    }
}
