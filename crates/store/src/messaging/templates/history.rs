//! The history of templates: changes of status, quality and category.

use domain::messaging::templates::TemplateChange;
use domain::{TemplateChangeId, TemplateId, TenantId};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    ADD = insert!("template_changes": TemplateChange, "template_id, id");
    OF_TEMPLATE = select!(
        TemplateChange,
        " FROM template_changes WHERE tenant_id = $1 AND template_id = $2 ORDER BY id DESC LIMIT $3"
    );
}

record! { TemplateChange { at, change, before: "old_value", after: "new_value", reason } }

pub async fn add_changes(tx: &mut Tx<'_>, tenant: TenantId, new: &[(TemplateId, TemplateChange)]) -> Result<()> {
    let row = |(template, change): &'_ (TemplateId, TemplateChange)| (*template, TemplateChangeId::new(change.at));
    let rows = new.iter().map(|one| {
        let (template, id) = row(one);
        Params::for_tenant(tenant).and(&one.1).with(template).with(id)
    });
    tx.execute_many(&ADD, rows).await.map(drop)
}

/// The latest changes of a template, newest first.
pub async fn changes(db: &Db, tenant: TenantId, template: TemplateId, limit: i64) -> Result<Vec<TemplateChange>> {
    db.rows(&OF_TEMPLATE, params![tenant, template, limit], read).await
}
