//! Reading teams.

use std::collections::HashMap;

use domain::identity::accounts::Account;
use domain::people::labels::Label;
use domain::people::teams::{TeamMember, TeamRouting, TeamSettings};
use domain::{AccountId, LabelId, TeamId};

use super::{NO_TEAM, Teams};
use crate::{ActsFor, Result};

/// A team with the number of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedTeam {
    pub settings: TeamSettings,
    pub members: i64,
}

/// A team with its members, ordered by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamView {
    pub settings: TeamSettings,
    pub members: Vec<MemberView>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberView {
    pub account: Account,
    pub member: TeamMember,
    /// The member's labels that still exist.
    pub labels: Vec<Label>,
}

#[boxed::futures]
impl Teams<'_> {
    /// All teams of the tenant, the oldest first.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<CountedTeam>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (teams, counts) =
            tokio::try_join!(store::people::teams::list(db, tenant), store::people::teams::member_counts(db, tenant))?;
        let counts: HashMap<TeamId, i64> = counts.into_iter().collect();
        let counted = |settings: TeamSettings| CountedTeam {
            members: counts.get(&settings.id).copied().unwrap_or_default(),
            settings,
        };
        Ok(teams.into_iter().map(counted).collect())
    }

    pub async fn find(&self, caller: &dyn ActsFor, id: TeamId) -> Result<TeamView> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let TeamRouting { settings, members } = store::people::teams::find(db, tenant, id).await?.ok_or(NO_TEAM)?;
        let (accounts, labels) =
            tokio::try_join!(store::identity::accounts::list(db, tenant), store::people::labels::list(db, tenant))?;
        let mut accounts: HashMap<AccountId, Account> =
            accounts.into_iter().map(|account| (account.id, account)).collect();
        let label = |id: &LabelId| labels.iter().find(|label| label.id == *id).cloned();
        let view = |member: TeamMember| {
            let account = accounts.remove(&member.account_id)?;
            Some(MemberView { account, labels: member.labels.iter().filter_map(label).collect(), member })
        };
        let mut members: Vec<_> = members.into_iter().filter_map(view).collect();
        members.sort_by_cached_key(|member| (member.account.name.to_lowercase(), member.account.id));
        Ok(TeamView { settings, members })
    }
}
