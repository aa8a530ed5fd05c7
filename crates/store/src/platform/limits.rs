//! The used part of rate and usage limits that nodes share or that must survive a restart.

use domain::{TenantId, Timestamp};

use crate::{Db, Engine, Error, Failure, Param, Result, Tx, params, read};

statements! {
    TAKE = "INSERT INTO limit_windows (tenant_id, bucket, window_start, used) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, bucket, window_start) DO UPDATE
        SET used = limit_windows.used + excluded.used
        WHERE limit_windows.used + excluded.used <= $5
        RETURNING used";
    /// Unlike `limits.take`, a lease may go over the limit; the caller gives the excess back at once.
    LEASE = "INSERT INTO limit_windows (tenant_id, bucket, window_start, used) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, bucket, window_start) DO UPDATE
        SET used = limit_windows.used + excluded.used
        WHERE limit_windows.used < $5
        RETURNING used";
    GIVE_BACK = "UPDATE limit_windows SET used = used - $4
        WHERE tenant_id = $1 AND bucket = $2 AND window_start = $3 AND used >= $4
        RETURNING used";
    USED = "SELECT used FROM limit_windows WHERE tenant_id = $1 AND bucket = $2 AND window_start = $3";
    /// Compares the prefix itself: a range of texts would depend on the collation.
    SWEEP tenantless "the sweep deletes past windows of every tenant" =
        "DELETE FROM limit_windows WHERE window_start < $1 AND substr(bucket, 1, length(CAST($2 AS TEXT))) = $2";
}

/// An amount to take from the limit of one window.
#[derive(Debug, Clone)]
pub struct Demand {
    pub tenant: TenantId,
    pub bucket: String,
    pub window: Timestamp,
    pub amount: i64,
    pub limit: i64,
}

/// The result of a lease: `granted` may be less than demanded; `used` is what all nodes together have taken of the
/// window, this lease included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leased {
    pub granted: i64,
    pub used: i64,
}

#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// The window of the demand at this index has too little left.
    #[error("limit {0} is used up")]
    Full(usize),
    #[error(transparent)]
    Store(#[from] Error),
}

impl Failure for NotTaken {
    fn store_error(&self) -> Option<&Error> {
        match self {
            Self::Full(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

/// Takes `amount` of a window's limit, all or nothing. Returns what is used then; none when too little is left.
pub async fn take(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    bucket: &str,
    window: Timestamp,
    amount: i64,
    limit: i64,
) -> Result<Option<i64>> {
    // The statement compares with the limit only where the window has a row already, so its first demand is compared
    // here.
    if amount > limit {
        return Ok(None);
    }
    tx.row(&TAKE, params![tenant, bucket, window, amount, limit], read).await
}

/// Takes every demand or none, and returns what is used of each then. One demand costs one round trip on PostgreSQL.
pub async fn take_all(db: &Db, demands: Vec<Demand>) -> Result<Vec<i64>, NotTaken> {
    if let [demand] = demands.as_slice()
        && db.engine() == Engine::Postgres
    {
        return take_one(db, demand).await;
    }
    db.write(demands, |tx, demands| Box::pin(take_each(tx, demands))).await
}

/// Takes one demand without a transaction: PostgreSQL runs a single statement as its own. On SQLite only the writer may
/// write.
async fn take_one(db: &Db, demand: &Demand) -> Result<Vec<i64>, NotTaken> {
    if demand.amount > demand.limit {
        return Err(NotTaken::Full(0));
    }
    let used = db.row(&TAKE, &demand.params(), read).await?;
    used.map(|used| vec![used]).ok_or(NotTaken::Full(0))
}

async fn take_each(tx: &mut Tx<'_>, demands: &[Demand]) -> Result<Vec<i64>, NotTaken> {
    let mut all = Vec::with_capacity(demands.len());
    for (place, demand) in demands.iter().enumerate() {
        let used = take(tx, demand.tenant, &demand.bucket, demand.window, demand.amount, demand.limit).await?;
        all.push(used.ok_or(NotTaken::Full(place))?);
    }
    Ok(all)
}

/// Takes as much of the demand as the limit leaves; none when nothing is left. On PostgreSQL taking the demand and
/// giving its excess back are two statements: a crash or an error between them leaves the whole demand counted until
/// the window ends.
pub async fn lease(db: &Db, demand: Demand) -> Result<Option<Leased>> {
    if demand.limit <= 0 {
        return Ok(None);
    }
    if db.engine() == Engine::Sqlite {
        return db.write(demand, |tx, demand| Box::pin(lease_in(tx, demand))).await;
    }
    let used = db.row(&LEASE, &demand.params(), read).await?;
    if let Some(over) = used.and_then(|used| demand.over(used)) {
        give_back(db, Demand { amount: over, ..demand.clone() }).await?;
    }
    Ok(used.map(|used| demand.leased(used)))
}

async fn lease_in(tx: &mut Tx<'_>, demand: &Demand) -> Result<Option<Leased>> {
    let used = tx.row(&LEASE, &demand.params(), read).await?;
    if let Some(over) = used.and_then(|used| demand.over(used)) {
        give_back_in(tx, &Demand { amount: over, ..demand.clone() }).await?;
    }
    Ok(used.map(|used| demand.leased(used)))
}

/// Gives back what was taken or leased and not used.
pub async fn give_back(db: &Db, demand: Demand) -> Result<()> {
    if db.engine() == Engine::Postgres {
        let params = params![demand.tenant, &demand.bucket, demand.window, demand.amount];
        return db.row(&GIVE_BACK, params, |_| Ok(())).await.map(drop);
    }
    db.write(demand, |tx, demand| Box::pin(give_back_in(tx, demand))).await
}

async fn give_back_in(tx: &mut Tx<'_>, demand: &Demand) -> Result<()> {
    tx.rows(&GIVE_BACK, params![demand.tenant, &demand.bucket, demand.window, demand.amount], |_| Ok(()))
        .await
        .map(drop)
}

impl Demand {
    fn params(&self) -> [Param<'_>; 5] {
        [self.tenant.into(), (&self.bucket).into(), self.window.into(), self.amount.into(), self.limit.into()]
    }

    /// How much of a lease that brought the window to `used` is over the limit.
    fn over(&self, used: i64) -> Option<i64> {
        let over = (used - self.limit).min(self.amount);
        (over > 0).then_some(over)
    }

    fn leased(&self, used: i64) -> Leased {
        let over = self.over(used).unwrap_or(0);
        Leased { granted: self.amount - over, used: used - over }
    }
}

pub async fn used(db: &Db, tenant: TenantId, bucket: &str, window: Timestamp) -> Result<i64> {
    Ok(db.row(&USED, params![tenant, bucket, window], read).await?.unwrap_or(0))
}

/// Deletes the windows of buckets with this prefix that began before `before`.
pub async fn sweep(tx: &mut Tx<'_>, prefix: &str, before: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![before, prefix]).await
}
