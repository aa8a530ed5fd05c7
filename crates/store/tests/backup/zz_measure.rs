use crate::fresh::*;
use domain::calls::*;
use domain::{Id, TenantId, Timestamp};
use std::time::Instant;
use store::Engine;

fn call(n: u64) -> Call {
    let at = Timestamp::from_seconds(1_700_000_000 + (n as i64) * 3);
    Call {
        id: Id::seeded(at, n.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        call_id: format!("wacid.{:032x}", (n as u128).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C834)),
        direction: if n % 3 == 0 { Direction::Outbound } else { Direction::Inbound },
        status: Status::Completed,
        from_number: format!("+1415555{:04}", n % 10000),
        to_number: "+14155550000".to_owned(),
        started_at: at,
        answered_at: Some(at.plus_seconds(5)),
        ended_at: Some(at.plus_seconds(65)),
        end_reason: Some("hangup".into()),
        operator: Some(Operator {
            id: Id::seeded(at, n % 20),
            email: format!("op{}@example.com", n % 20),
            name: format!("Operator {}", n % 20),
        }),
        team_name: Some("Sales".into()),
        caller: Caller {
            contact_id: None,
            bsuid: Some(format!("US.{n:020}")),
            parent_bsuid: None,
            username: None,
            wa_id: Some(format!("1415555{:04}", n % 10000)),
        },
        conversation_id: None,
        channel_id: None,
        channel_phone_number: Some("+14155550000".into()),
    }
}

fn hwm(what: &str) {
    let rss = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{what} {}", rss.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}

async fn measure(engine: Engine) {
    let count: u64 = std::env::var("CALLS").ok().and_then(|c| c.parse().ok()).unwrap_or(100_000);
    let fresh = Fresh::on(engine).await;
    let tenant = TenantId::from_number(100_001);
    let t = Instant::now();
    for chunk in (0..count).collect::<Vec<_>>().chunks(5000) {
        let calls: Vec<Call> = chunk.iter().map(|n| call(*n)).collect();
        fresh
            .db
            .write((tenant, calls), |tx, (tenant, calls)| Box::pin(store::calls::insert_many(tx, *tenant, calls)))
            .await
            .unwrap();
    }
    println!("{engine:?} fill {:?}", t.elapsed());
    hwm("after fill");
    let path = testkit::database::fresh_folder().join("b.gz");
    let t = Instant::now();
    store::backup::backup(&fresh.db, &clock(), std::fs::File::create(&path).unwrap(), |_| {}).await.unwrap();
    println!("{engine:?} backup {:?}", t.elapsed());
    hwm("after backup");
    let target = Fresh::on(engine).await;
    let t = Instant::now();
    store::backup::restore(&target.db, std::fs::File::open(&path).unwrap(), false, |_, _| {}).await.unwrap();
    println!("{engine:?} restore {:?}", t.elapsed());
    hwm("after restore");
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    target.remove().await;
    fresh.remove().await;
}
#[tokio::test]
#[ignore]
async fn sqlite() {
    measure(Engine::Sqlite).await
}
#[tokio::test]
#[ignore]
async fn postgres() {
    measure(Engine::Postgres).await
}
