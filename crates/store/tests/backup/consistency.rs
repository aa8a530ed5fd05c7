//! A backup is a snapshot, whatever is written meanwhile.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use domain::identity::audit::AuditEntry;
use domain::identity::tenants::Tenant;
use domain::{Id, TenantId};
use store::platform::backup::backup;
use store::{Db, Tx};

use crate::fresh::{Shared, clock, on_both, unpacked};

/// A writer that blocks at its first byte, when the snapshot is taken, until the test lets it continue.
struct Paused {
    out: Shared,
    reached: Option<tokio::sync::oneshot::Sender<()>>,
    go_on: mpsc::Receiver<()>,
}

impl Write for Paused {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Some(reached) = self.reached.take() {
            reached.send(()).unwrap();
            self.go_on.recv_timeout(Duration::from_secs(30)).unwrap();
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A tenant and its audit entry, in one transaction: rows of two tables that are read at different times.
pub async fn write_pair(db: &Db, number: i64) {
    db.write(number, |tx, number| Box::pin(pair(tx, *number))).await.unwrap();
}

async fn pair(tx: &mut Tx<'_>, number: i64) -> store::Result<()> {
    let now = clock().now();
    let id = TenantId::from_number(number);
    let tenant =
        Tenant { id, name: format!("pair {number}"), plan: "business".to_owned(), created_at: now, suspended_at: None };
    store::identity::tenants::insert(tx, &tenant).await?;
    let entry = AuditEntry {
        id: Id::new(now),
        at: now,
        actor: "command".to_owned(),
        action: "tenant.create".to_owned(),
        subject: format!("pair {number}"),
        details: "{}".to_owned(),
        address: None,
        request_id: None,
    };
    store::identity::audit::append(tx, id, &entry).await
}

on_both! {
    async fn what_is_written_during_a_backup_is_not_in_it(fresh) {
        write_pair(&fresh.db, 100_001).await;
        let out = Shared::default();
        let (reached, is_reached) = tokio::sync::oneshot::channel();
        let (go_on, wait) = mpsc::channel();
        let paused = Paused { out: out.clone(), reached: Some(reached), go_on: wait };
        let running = tokio::spawn({
            let db = fresh.db.clone();
            async move { backup(&db, &clock(), paused, None, |_| {}).await }
        });
        is_reached.await.unwrap();
        for number in 100_002..100_010 {
            write_pair(&fresh.db, number).await;
        }
        go_on.send(()).unwrap();
        let summary = running.await.unwrap().unwrap();
        assert_eq!((summary.rows["tenants"], summary.rows["audit"]), (1, 1));
        let text = unpacked(&out.take());
        assert_eq!(text.matches("pair 100001").count(), 2);
        assert_eq!(text.matches("pair ").count(), 2);
    }

    /// Backups run while pairs are written: each backup has both rows of a pair or neither.
    async fn pairs_stay_whole_under_a_stream_of_writes(fresh) {
        let writer = tokio::spawn({
            let db = fresh.db.clone();
            async move {
                for number in 0..300 {
                    write_pair(&db, 100_001 + number).await;
                }
            }
        });
        let mut finished = false;
        while !finished {
            finished = writer.is_finished();
            let text = unpacked(&fresh.backup().await);
            for name in text.split('"').filter(|part| part.starts_with("pair ")) {
                assert_eq!(text.matches(&format!("\"{name}\"")).count(), 2, "{name}");
            }
        }
        writer.await.unwrap();
    }
}
