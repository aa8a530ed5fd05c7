//! Rules of routing, waiting conversations and operators.

use domain::automation::routing::{
    OperatorPresence, OrderedRule, RoutingConditions, RoutingRule, RoutingTarget, WaitingQueue,
};
use domain::delivery::consumers::ConsumerGroup;
use domain::{ConversationId, Id};
use store::automation::routing::operators::StoredPresence;
use store::automation::routing::waiting::WaitingRow;
use store::automation::routing::{operators, rules, waiting};
use store::delivery::consumers;

use crate::fixtures::{START, stored_account};

fn rule(number: u64, position: i64) -> OrderedRule {
    let conditions = RoutingConditions { languages: ["de".parse().unwrap()].into(), ..RoutingConditions::default() };
    let target = RoutingTarget::Team(Id::seeded(START, 9));
    let (id, name) = (Id::seeded(START, number), format!("rule {number}"));
    let rule = RoutingRule { id, name, conditions, to_former_operator: true, target, stop: false };
    OrderedRule { rule, position, enabled: true, created_at: START, updated_at: START }
}

fn row(number: u64, queue: &WaitingQueue, seconds: i64) -> WaitingRow {
    let conversation_id = Id::seeded(START, number);
    WaitingRow { conversation_id, queue: queue.clone(), by_rule: true, since: START.plus_seconds(seconds) }
}

testkit::both_databases! {
    async fn rules_are_kept_in_their_order(test) {
        let stranger = test.new_tenant("growth").await;
        let write = test.db.write((test.tenant, stranger), |tx, (tenant, stranger)| Box::pin(async move {
            assert!(!rules::is_routing_used(tx, *tenant).await?);
            for (number, position) in [(1, 2), (2, 3), (3, 1)] {
                rules::insert(tx, *tenant, &rule(number, position)).await?;
            }
            rules::update(tx, *tenant, &rule(2, 4)).await?;
            assert!(rules::is_routing_used(tx, *tenant).await? && !rules::is_routing_used(tx, *stranger).await?);
            rules::remove(tx, *stranger, rule(1, 2).rule.id).await?;
            let all = rules::list_in(tx, *tenant).await?;
            rules::remove(tx, *tenant, rule(3, 1).rule.id).await?;
            Ok::<_, store::Error>(all)
        }));
        assert_eq!(write.await.unwrap(), [rule(3, 1), rule(1, 2), rule(2, 4)]);
        assert_eq!(rules::list(&test.db, test.tenant).await.unwrap(), [rule(1, 2), rule(2, 4)]);
    }

    async fn each_queue_is_found_once_and_gives_the_oldest_first(test) {
        let stranger = test.new_tenant("growth").await;
        let target = |number| RoutingTarget::Team(Id::seeded(START, number));
        let plain = WaitingQueue::new(target(1), None, &[]);
        let german = WaitingQueue::new(target(1), Some("de".parse().unwrap()), &[]);
        let nobody = WaitingQueue::new(RoutingTarget::Unassigned, None, &[]);
        let input = (test.tenant, stranger, [plain.clone(), german.clone(), nobody.clone()]);
        let write = test.db.write(input, |tx, (tenant, stranger, [plain, german, nobody])| Box::pin(async move {
            assert!(waiting::queues(tx, *tenant).await?.is_empty());
            for (number, queue, seconds) in [(1, plain, 9), (2, german, 1), (3, plain, 5), (4, plain, 5), (5, nobody, 0), (6, german, 7)] {
                waiting::save(tx, *tenant, &row(number, queue, seconds)).await?;
            }
            waiting::save(tx, *stranger, &row(7, plain, 0)).await?;
            waiting::save(tx, *tenant, &row(6, plain, 6)).await?;
            waiting::remove(tx, *tenant, Id::seeded(START, 2)).await?;
            let queues = waiting::queues(tx, *tenant).await?;
            let oldest = waiting::oldest(tx, *tenant, plain, 3).await?;
            let of = waiting::of(tx, *tenant, &[Id::seeded(START, 2), Id::seeded(START, 5), Id::seeded(START, 7)]).await?;
            let after = waiting::after(tx, *tenant, Id::seeded(START, 3), 2).await?;
            Ok::<_, store::Error>((queues, oldest, of, after))
        }));
        let (mut queues, oldest, of, after) = write.await.unwrap();
        queues.sort_by_key(domain::to_json);
        let mut expected = vec![plain.clone(), nobody.clone()];
        expected.sort_by_key(domain::to_json);
        assert_eq!(queues, expected);
        assert_eq!(oldest, [row(3, &plain, 5), row(4, &plain, 5), row(6, &plain, 6)]);
        assert_eq!((of, after), (vec![row(5, &nobody, 0)], vec![row(4, &plain, 5), row(5, &nobody, 0)]));
        let none = test.db.write(test.tenant, |tx, tenant| {
            Box::pin(waiting::conversations_after(tx, *tenant, ConversationId::LEAST, 10))
        });
        assert!(none.await.unwrap().is_empty());
    }

    async fn a_chosen_presence_keeps_when_the_operator_was_seen(test) {
        let ada = stored_account(&test, test.tenant, "ada@example.com").await.id;
        let ben = stored_account(&test, test.tenant, "ben@example.com").await.id;
        let write = test.db.write((test.tenant, ada, ben), |tx, (tenant, ada, ben)| Box::pin(async move {
            let (account_id, later) = (*ada, START.plus_seconds(9));
            let chosen = |chosen, seen_at| StoredPresence { account_id, chosen, seen_at };
            operators::choose(tx, *tenant, &chosen(OperatorPresence::Available, Some(START))).await?;
            operators::choose(tx, *tenant, &chosen(OperatorPresence::Busy, None)).await?;
            let first = operators::of(tx, *tenant, &[*ada, *ben]).await?;
            assert_eq!(first, [chosen(OperatorPresence::Busy, Some(START))]);
            operators::seen(tx, *tenant, &[*ada, *ben], later).await?;
            operators::assigned(tx, *tenant, *ada, later).await?;
            operators::list_in(tx, *tenant).await
        }));
        let mut listed = write.await.unwrap();
        listed.sort_by(|one, other| one.email.cmp(&other.email));
        let shown: Vec<_> = listed.iter().map(|one| (one.id, one.chosen, one.seen_at, one.last_assigned_at, one.open)).collect();
        let later = Some(START.plus_seconds(9));
        assert_eq!(shown, [(ada, Some(OperatorPresence::Busy), later, later, 0), (ben, None, None, None, 0)]);
        assert_eq!(operators::list(&test.db, test.tenant).await.unwrap().len(), 2);
    }

    async fn reactions_are_switched_on_at_the_end_of_the_log(test) {
        let group = ConsumerGroup::Reactions;
        let write = test.db.write(test.tenant, move |tx, tenant| Box::pin(async move {
            let off = consumers::lock(tx, *tenant, group).await?;
            consumers::switch_on(tx, *tenant, group).await?;
            consumers::switch_on(tx, *tenant, group).await?;
            Ok::<_, store::Error>((off, consumers::lock(tx, *tenant, group).await?))
        }));
        assert_eq!(write.await.unwrap(), (None, Some(0)));
        assert!(consumers::switched_on(&test.db, group).await.unwrap().contains(&test.tenant));
        let write = test.db.write(test.tenant, move |tx, tenant| Box::pin(async move {
            consumers::switch_off(tx, *tenant, group).await?;
            consumers::unprocessed(tx, *tenant, group, 10).await
        }));
        assert!(write.await.unwrap().is_empty());
        assert!(!consumers::switched_on(&test.db, group).await.unwrap().contains(&test.tenant));
    }
}
