//! Teams and their members. A team is also created when a contact's list of teams first names it.

use const_format::concatcp;
use domain::people::contacts::Team;
use domain::people::teams::{TeamMember, TeamRouting, TeamSettings};
use domain::{TeamId, TenantId, Timestamp};

use crate::base::columns::{aliased, insert, record, select, update};
use crate::{Db, Params, Result, Tx, params, read};

/// The members whose accounts are active.
const ACTIVE_MEMBERS: &str = " FROM team_members m
    {sqlite CROSS} JOIN accounts a ON a.tenant_id = $1 AND a.id = m.account_id AND a.removed_at IS NULL AND NOT a.disabled
    WHERE m.tenant_id = $1";

statements! {
    INSERT = concatcp!(insert!("teams": TeamSettings, "key"), " ON CONFLICT (tenant_id, key) DO NOTHING");
    UPDATE = update!("teams": TeamSettings, "key");
    BY_KEY = select!(Team, " FROM teams WHERE tenant_id = $1 AND key = $2");
    BY_ID = select!(TeamSettings, " FROM teams WHERE tenant_id = $1 AND id = $2");
    FOR_UPDATE = select!(TeamSettings, " FROM teams WHERE tenant_id = $1 AND id = $2 {for_update}");
    LIST = select!(TeamSettings, " FROM teams WHERE tenant_id = $1 ORDER BY id");
    NAMES = select!(Team, " FROM teams WHERE tenant_id = $1 ORDER BY id");
    REMOVE = "DELETE FROM teams WHERE tenant_id = $1 AND id = $2";
    COUNT = "SELECT COUNT(*) FROM teams WHERE tenant_id = $1";
    MEMBERS = concatcp!("SELECT m.team_id, ", MEMBER, ACTIVE_MEMBERS, " ORDER BY m.team_id, m.account_id");
    MEMBERS_OF = concatcp!("SELECT ", MEMBER, ACTIVE_MEMBERS, " AND m.team_id = $2 ORDER BY m.account_id");
    MEMBER_COUNTS = concatcp!("SELECT m.team_id, COUNT(*)", ACTIVE_MEMBERS, " GROUP BY m.team_id");
    ADD_MEMBER = insert!("team_members": TeamMember, "team_id");
    REMOVE_MEMBERS = "DELETE FROM team_members WHERE tenant_id = $1 AND team_id = $2";
}

record! { Team { id, name } }
record! { TeamSettings { id, name, method, capacity, opening_hours_id, created_at } }
record! { TeamMember { account_id, capacity, languages, labels } }

const MEMBER: &str = aliased!(TeamMember as "m");

/// The team with this name in any letter case (`key` is its folded form).
pub async fn by_key(db: &Db, tenant: TenantId, key: &str) -> Result<Option<Team>> {
    db.row(&BY_KEY, params![tenant, key], read).await
}

pub async fn by_key_in(tx: &mut Tx<'_>, tenant: TenantId, key: &str) -> Result<Option<Team>> {
    tx.row(&BY_KEY, params![tenant, key], read).await
}

/// The team whose name has this folded form (`key`); inserts `new` if there is none.
pub async fn find_or_create(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Team, at: Timestamp) -> Result<Team> {
    if let Some(known) = by_key_in(tx, tenant, key).await? {
        return Ok(known);
    }
    insert(tx, tenant, key, &TeamSettings::new(new.clone(), at)).await?;
    Ok(by_key_in(tx, tenant, key).await?.unwrap_or_else(|| new.clone()))
}

/// False if there is a team with this name in any letter case (`key` is its folded form).
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &TeamSettings) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(key)).await? == 1)
}

/// The caller has checked that no other team has this name.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, key: &str, changed: &TeamSettings) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed).with(key)).await.map(drop)
}

/// Locks the team until the transaction ends.
pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: TeamId) -> Result<Option<TeamSettings>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}

/// All teams of a tenant, the oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<TeamSettings>> {
    db.rows(&LIST, params![tenant], read).await
}

/// The names of all teams, the oldest first.
pub async fn names(db: &Db, tenant: TenantId) -> Result<Vec<Team>> {
    db.rows(&NAMES, params![tenant], read).await
}

/// A team with the members whose accounts are active.
pub async fn find(db: &Db, tenant: TenantId, id: TeamId) -> Result<Option<TeamRouting>> {
    let Some(settings) = db.row(&BY_ID, params![tenant, id], read).await? else { return Ok(None) };
    let members = db.rows(&MEMBERS_OF, params![tenant, id], read).await?;
    Ok(Some(TeamRouting { settings, members }))
}

/// All teams with the members whose accounts are active.
pub async fn list_with_members(db: &Db, tenant: TenantId) -> Result<Vec<TeamRouting>> {
    let teams = list(db, tenant).await?;
    Ok(with_members(teams, db.rows(&MEMBERS, params![tenant], read).await?))
}

pub async fn list_with_members_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<TeamRouting>> {
    let teams = tx.rows(&LIST, params![tenant], read).await?;
    Ok(with_members(teams, tx.rows(&MEMBERS, params![tenant], read).await?))
}

fn with_members(teams: Vec<TeamSettings>, members: Vec<(TeamId, TeamMember)>) -> Vec<TeamRouting> {
    let mut teams: Vec<_> = teams.into_iter().map(|settings| TeamRouting { settings, members: Vec::new() }).collect();
    for (team, member) in members {
        if let Ok(place) = teams.binary_search_by_key(&team, TeamRouting::id) {
            teams[place].members.push(member);
        }
    }
    teams
}

/// How many members with active accounts each team has. Teams without any are left out.
pub async fn member_counts(db: &Db, tenant: TenantId) -> Result<Vec<(TeamId, i64)>> {
    db.rows(&MEMBER_COUNTS, params![tenant], read).await
}

/// Replaces the members of a team, which the caller has locked.
pub async fn set_members(tx: &mut Tx<'_>, tenant: TenantId, team: TeamId, members: &[TeamMember]) -> Result<()> {
    tx.execute(&REMOVE_MEMBERS, params![tenant, team]).await?;
    let rows = members.iter().map(|member| Params::for_tenant(tenant).and(member).with(team));
    tx.execute_many(&ADD_MEMBER, rows).await.map(drop)
}

/// Removes a team and its members. False if there is none.
pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: TeamId) -> Result<bool> {
    let is_removed = tx.execute(&REMOVE, params![tenant, id]).await? == 1;
    tx.execute(&REMOVE_MEMBERS, params![tenant, id]).await?;
    Ok(is_removed)
}

pub async fn count(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}
