//! Accepting: recording calls without an endpoint, and with one that receives them on the same cores, compared with the
//! floor.

use anyhow::Result;

use super::poster::body;
use super::receiver::Manner;
use super::world::World;
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::Database;
use crate::{child, floor};

const CALLS: &str = "/api/ext/v3/calls";
const UNHEARD: &str = "POST /calls, no endpoint";
const HEARD: &str = "POST /calls, one endpoint listens";

pub async fn measure(common: &Common, database: Database) -> Result<PartResult> {
    let (world, plan) = (World::new(database).await?, common.plan());
    let poster = world.poster(plan.connections);
    // A number of a call that no row uses.
    let answer = child::tell(world.child.address, CALLS, world.prepared.token(), &body(u64::MAX)).await?;
    let name = format!("floor: a call posted, {} bytes answered", answer.len());
    let floor = floor::measure_posts(answer.len(), &poster.case(&name), plan).await?;
    let bare = Some(floor.load.requests_per_second);
    let mut rows = vec![Row { name, measured: floor, floor: None }];

    let unheard = world.child.measure(&poster.case(UNHEARD), plan).await?;
    rows.push(Row { name: UNHEARD.to_owned(), measured: unheard, floor: bare });
    world.numbered().await?;
    let webhook = world.listen(Manner::Good, 0).await?;
    let before = world.spent()?;
    let heard = world.child.measure(&poster.case(HEARD), plan).await?;
    let accepted = heard.load.count_with_warm_up;
    rows.push(Row { name: HEARD.to_owned(), measured: heard, floor: bare });
    let receipts = world.receiver.receive(accepted).await?;
    world.recorded(webhook).await?;
    let spent = world.spent()? - before;
    let facts = vec![
        ("accept: events delivered", format!("{accepted} events, {} of them twice", receipts.repeats())),
        ("accept: processor seconds for 10000 calls recorded and delivered", spent.per_10000(accepted)),
        ("accept: highest resident memory", world.peak()?),
    ];
    Ok(PartResult { rows, facts })
}
