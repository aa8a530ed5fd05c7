//! Adds, lists and clears faults. They are stored per tenant, so they apply on every node.

use app::{Error, Result};
use domain::{Field, TenantId};
use serde::{Deserialize, Serialize};
use store::platform::sandbox::records::{self, Kind};

use crate::core::records::parsed;
use crate::{Fault, FaultKind, Sandbox, fault};

const MOST: u32 = 100_000;

/// Request to add a fault: `kind`, `count` (default 1), and members that only some kinds have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// Faults of answers: `refuse`, `fail`, `server_error`, `reset` and `accept_then_reset` for messages,
    /// `lookup_error` for payment look-ups, `cut_upload` for samples. Faults of webhooks: `duplicate`, `reorder`,
    /// `delay`, `batch`.
    pub kind: String,
    #[serde(default)]
    pub count: Option<u32>,
    /// Of `refuse` and `fail`: the network's error code.
    #[serde(default)]
    pub code: Option<i64>,
    /// Of `server_error` and `lookup_error`: the HTTP status, 500 to 599.
    #[serde(default)]
    pub status: Option<u16>,
    /// Of `duplicate`: how many times each webhook is posted.
    #[serde(default)]
    pub copies: Option<u32>,
    /// Of `delay`: how much later webhooks are posted.
    #[serde(default)]
    pub seconds: Option<u32>,
    /// Of `batch`: how many changes one webhook gathers.
    #[serde(default)]
    pub size: Option<u32>,
    /// Applies to messages to this person only.
    #[serde(default)]
    pub person: Option<String>,
}

/// A fault, with the members that apply to its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxFault)]
pub struct FaultView {
    #[schema(example = "01777024800000000-3f9a")]
    pub id: String,
    #[schema(example = "refuse")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 131_026, nullable = false)]
    pub code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub copies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub millis: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub size: Option<u32>,
    /// The BSUID of the person the fault is limited to.
    #[schema(example = "US.13491208655302741918")]
    pub person: Option<String>,
    /// Remaining uses.
    #[schema(example = 1)]
    pub left: u32,
}

impl FaultView {
    fn new(fault: Fault, person: Option<String>) -> Self {
        let of_kind = match fault.kind {
            FaultKind::Refuse { code } => Self { kind: "refuse", code: Some(code), ..Self::default() },
            FaultKind::Fail { code } => Self { kind: "fail", code: Some(code), ..Self::default() },
            FaultKind::ServerError { status } => Self { kind: "server_error", status: Some(status), ..Self::default() },
            FaultKind::LookupError { status } => Self { kind: "lookup_error", status: Some(status), ..Self::default() },
            FaultKind::Reset => Self { kind: "reset", ..Self::default() },
            FaultKind::AcceptThenReset => Self { kind: "accept_then_reset", ..Self::default() },
            FaultKind::CutUpload => Self { kind: "cut_upload", ..Self::default() },
            FaultKind::Duplicate { copies } => Self { kind: "duplicate", copies: Some(copies), ..Self::default() },
            FaultKind::Reorder => Self { kind: "reorder", ..Self::default() },
            FaultKind::Delay { millis } => Self { kind: "delay", millis: Some(millis), ..Self::default() },
            FaultKind::Batch { size } => Self { kind: "batch", size: Some(size), ..Self::default() },
        };
        Self { id: fault.id, person, left: fault.left, ..of_kind }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxFaults)]
pub struct Faults {
    /// Oldest first, which is the order in which they apply.
    pub faults: Vec<FaultView>,
}

impl Fail {
    fn fault_kind(&self) -> Result<FaultKind> {
        let kind = match self.kind.as_str() {
            "refuse" | "error" => FaultKind::Refuse { code: self.code(131_000)? },
            "fail" => FaultKind::Fail { code: self.code(131_026)? },
            "server_error" => FaultKind::ServerError { status: self.server_status()? },
            "lookup_error" => FaultKind::LookupError { status: self.server_status()? },
            "reset" => FaultKind::Reset,
            "accept_then_reset" => FaultKind::AcceptThenReset,
            "cut_upload" => FaultKind::CutUpload,
            "duplicate" => FaultKind::Duplicate { copies: within(Field::Copies, self.copies, 2, 2, 10)? },
            "reorder" => FaultKind::Reorder,
            "delay" => {
                FaultKind::Delay { millis: i64::from(within(Field::Seconds, self.seconds, 60, 1, 604_800)?) * 1000 }
            }
            "batch" => FaultKind::Batch { size: within(Field::Size, self.size, 10, 2, 200)? },
            _ => return Err(Error::invalid(Field::Kind, KINDS)),
        };
        self.fits(&kind)?;
        Ok(kind)
    }

    fn code(&self, default: i64) -> Result<i64> {
        let code = self.code.unwrap_or(default);
        if (1..=9_999_999).contains(&code) {
            Ok(code)
        } else {
            Err(Error::invalid(Field::Code, "expected an error code"))
        }
    }

    fn server_status(&self) -> Result<u16> {
        let status = self.status.unwrap_or(500);
        if (500..=599).contains(&status) {
            Ok(status)
        } else {
            Err(Error::invalid(Field::Status, "expected 500 to 599"))
        }
    }

    /// Refuses members that have no meaning for the kind.
    fn fits(&self, kind: &FaultKind) -> Result<()> {
        let about_messages = matches!(
            kind,
            FaultKind::Refuse { .. }
                | FaultKind::Fail { .. }
                | FaultKind::ServerError { .. }
                | FaultKind::Reset
                | FaultKind::AcceptThenReset
        );
        let with_status = matches!(kind, FaultKind::ServerError { .. } | FaultKind::LookupError { .. });
        let stray = [
            (Field::Code, self.code.is_some() && !matches!(kind, FaultKind::Refuse { .. } | FaultKind::Fail { .. })),
            (Field::Status, self.status.is_some() && !with_status),
            (Field::Copies, self.copies.is_some() && !matches!(kind, FaultKind::Duplicate { .. })),
            (Field::Seconds, self.seconds.is_some() && !matches!(kind, FaultKind::Delay { .. })),
            (Field::Size, self.size.is_some() && !matches!(kind, FaultKind::Batch { .. })),
            (Field::Person, self.person.is_some() && !about_messages),
        ];
        match stray.into_iter().find(|(_, stray)| *stray) {
            Some((field, _)) => Err(Error::invalid(field, format!("does not apply to the kind {}", self.kind))),
            None => Ok(()),
        }
    }
}

const KINDS: &str = "expected refuse, fail, server_error, lookup_error, reset, accept_then_reset, cut_upload, \
                     duplicate, reorder, delay or batch";

fn within(field: Field, value: Option<u32>, default: u32, low: u32, high: u32) -> Result<u32> {
    let value = value.unwrap_or(default);
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    Err(Error::invalid(field, format!("expected {low} to {high}")))
}

#[boxed::futures]
impl Sandbox {
    pub async fn fail(&self, tenant: TenantId, wanted: Fail) -> Result<FaultView> {
        let kind = wanted.fault_kind()?;
        let left = within(Field::Count, wanted.count, 1, 1, MOST)?;
        let person = match &wanted.person {
            Some(called) => Some(self.find(tenant, called).await?),
            None => None,
        };
        // Ids sort by creation: faults apply in the order in which they were added.
        let id = format!("{:020}-{}", self.now().micros(), self.due_key(&self.ids().other("fault")));
        let fault = Fault { id, kind, person: person.as_ref().map(|person| person.position), left };
        let view = FaultView::new(fault.clone(), person.map(|person| person.bsuid));
        let input = (tenant, self.now(), fault);
        self.db().write(input, |tx, (tenant, now, fault)| Box::pin(fault::save(tx, *tenant, *now, fault))).await?;
        Ok(view)
    }

    pub async fn faults(&self, tenant: TenantId) -> Result<Faults> {
        let people = self.everybody(tenant).await?;
        let bsuid = |position: i64| people.iter().find(|one| one.position == position).map(|one| one.bsuid.clone());
        let records = records::list(self.db(), tenant, Kind::Fault).await?;
        let view = |fault: Fault| {
            let person = fault.person.and_then(bsuid);
            FaultView::new(fault, person)
        };
        Ok(Faults { faults: records.iter().filter_map(parsed::<Fault>).map(view).collect() })
    }

    /// Returns the number of deleted faults.
    pub async fn clear_faults(&self, tenant: TenantId) -> Result<u64> {
        let clear = self.db().write(tenant, |tx, tenant| Box::pin(records::clear(tx, *tenant, Kind::Fault)));
        Ok(clear.await?)
    }
}
