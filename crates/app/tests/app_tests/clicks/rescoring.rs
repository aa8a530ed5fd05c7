//! Rescoring: hits that older rules classified get the classes of the present rules, and no event is emitted twice.

use std::sync::atomic::{AtomicU32, Ordering};

use app::messaging::clicks::{RescoreRequest, RescoreSummary};
use domain::messaging::clicks::ClickClass::{Human, Preview, Repeat, Scanner};
use domain::messaging::clicks::{ClickSource, Link};
use domain::{Id, MessageId, TemplateId};
use store::Statement;
use store::messaging::clicks::Hit;
use testkit::World;

use crate::clicks::world::{ADA, Clicks as _, PHONE, PREVIEW, single, tracked, visit};

static BLIND: Statement =
    Statement::new("test.blind", "UPDATE clicks SET class = 'scanner', rules = 0 WHERE tenant_id = $1");
static UNTOLD: Statement = Statement::new("test.untold", "DELETE FROM click_firsts WHERE tenant_id = $1");
static TRUSTING: Statement = Statement::new(
    "test.trusting",
    "UPDATE clicks SET class = CASE class WHEN 'preview' THEN 'human' WHEN 'human' THEN 'repeat' ELSE class END, rules = 0
     WHERE tenant_id = $1",
);

async fn rescored(world: &World, rescore: RescoreRequest) -> RescoreSummary {
    world.app.messaging().clicks().rescore(&rescore, &mut |_| (), &|| false).await.unwrap()
}

async fn opened(world: &World, agents: &[&str]) -> String {
    let template = world.template(single(true), None).await;
    world.send_usual(&template).await;
    let code = world.codes(ADA).await.remove(0);
    for agent in agents {
        world.advance(1);
        world.open(&code, agent).await.unwrap();
    }
    code
}

testkit::both_databases! {
    async fn a_person_who_is_found_only_now_emits_one_event(world = World::simulated) {
        opened(&world, &[PREVIEW, PHONE, PHONE]).await;
        assert_eq!(world.click_payloads().await.len(), 1);
        // As if older rules had taken every hit for a scanner and emitted nothing.
        world.run(&BLIND).await;
        world.run(&UNTOLD).await;
        let dry = RescoreRequest { dry_run: true, ..RescoreRequest::default() };
        let would = rescored(&world, dry).await;
        assert_eq!((would.hits, would.changed, would.now_people, would.emitted), (3, 3, 2, 1));
        assert_eq!(world.classes().await, [Scanner, Scanner, Scanner]);
        assert_eq!(rescored(&world, RescoreRequest::default()).await, would);
        assert_eq!(world.classes().await, [Preview, Human, Repeat]);
        assert_eq!(world.click_payloads().await.len(), 2);
        let again = rescored(&world, RescoreRequest::default()).await;
        assert_eq!((again.hits, again.changed, again.emitted, again.resumed), (3, 0, 0, false));
        assert_eq!(world.click_payloads().await.len(), 2);
    }

    async fn an_emitted_event_is_not_revoked_and_not_repeated(world = World::simulated) {
        let code = opened(&world, &[PREVIEW]).await;
        // As if older rules had taken the preview for a person and emitted the event.
        world.run(&TRUSTING).await;
        let mark = world.app.db().write((world.tenant(), world.hits().await[0].hit.link), |tx, (tenant, link)| {
            Box::pin(async move { store::messaging::clicks::mark_first(tx, *tenant, &[(*link, None)], domain::Timestamp::from_seconds(1)).await })
        });
        assert_eq!(mark.await.map_err(|error: store::Error| error).unwrap().len(), 1);
        let done = rescored(&world, RescoreRequest::default()).await;
        assert_eq!((done.changed, done.no_longer_people, done.emitted), (1, 1, 0));
        assert_eq!(world.classes().await, [Preview]);
        // The first hit of a real person emits no second event.
        for _ in 0..2 {
            world.advance(1);
            world.open(&code, PHONE).await.unwrap();
        }
        assert_eq!(world.classes().await, [Preview, Human, Repeat]);
        assert!(world.click_payloads().await.is_empty());
        assert_eq!(rescored(&world, RescoreRequest::default()).await.changed, 0);
    }

    async fn a_stopped_run_continues_where_it_was(world = World::simulated) {
        let template = world.template(tracked(), None).await;
        let message = world.send_usual(&template).await;
        let hits: Vec<Hit> = (0..1200).map(|number| hit(&world, message, template.id, number)).collect();
        let write = world.app.db().write((world.tenant(), hits), |tx, (tenant, hits)| {
            Box::pin(store::messaging::clicks::insert_many(tx, *tenant, hits))
        });
        write.await.map_err(|error: store::Error| error).unwrap();
        let asked = AtomicU32::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) > 0;
        let cut = world.app.messaging().clicks().rescore(&RescoreRequest::default(), &mut |_| (), &stop).await.unwrap();
        assert_eq!((cut.hits, cut.changed, cut.emitted, cut.stopped), (500, 500, 2, true));
        let rest = rescored(&world, RescoreRequest::default()).await;
        assert_eq!((rest.hits, rest.changed, rest.emitted, rest.resumed), (700, 700, 0, true));
        let all = RescoreRequest { restart: true, tenant: Some(world.tenant()), ..RescoreRequest::default() };
        assert_eq!(world.app.messaging().clicks().count_to_rescore(&all).await.unwrap(), 1200);
        let again = rescored(&world, all).await;
        assert_eq!((again.hits, again.changed, again.resumed), (1200, 0, false));
        assert_eq!(world.click_payloads().await.len(), 2);
    }
}

/// One of many hits of people, on two links, that older rules took for hits of a scanner.
fn hit(world: &World, message: MessageId, template_id: TemplateId, number: i32) -> Hit {
    let at = world.now().plus_seconds(i64::from(number)).to_millis();
    Hit {
        id: Id::new(at),
        at,
        link: Link { message, card: None, button: Some(u8::from(number % 2 == 1)) },
        template_id,
        class: Scanner,
        rules: 0,
        source: ClickSource::Redirect,
        method: "GET".to_owned(),
        address: None,
        headers: Some(visit(PHONE).request.headers_json()),
    }
}
