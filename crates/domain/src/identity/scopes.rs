//! Scopes, sets of scopes, and the hierarchy by which one scope includes others.

use std::collections::BTreeMap;
use std::fmt;

use crate::base::suggest;

macro_rules! scopes {
    ($($variant:ident => $name:literal),+ $(,)?) => {
        /// One permission that a token can be granted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Scope { $($variant),+ }

        impl Scope {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

scopes! {
    Api => "api",
    ContactsRead => "contacts:read",
    ContactsWrite => "contacts:write",
    ContactsV3Read => "contactsv3:read",
    ContactsV3Write => "contactsv3:write",
    MessageTemplateRead => "messagetemplate:read",
    MessageTemplateWrite => "messagetemplate:write",
    MessageTemplateV2Read => "messagetemplatev2:read",
    MessageTemplateV2Write => "messagetemplatev2:write",
    MessageTemplateV3Read => "messagetemplatev3:read",
    MessageTemplateV3Write => "messagetemplatev3:write",
    ConversationsRead => "conversations:read",
    ConversationsWrite => "conversations:write",
    ConversationsV3Read => "conversationsv3:read",
    ConversationsV3Write => "conversationsv3:write",
    ServiceIntegrationRead => "service_integration:read",
    ServiceIntegrationWrite => "service_integration:write",
    PaymentRead => "payment:read",
    PaymentWrite => "payment:write",
    CallsV3Read => "callsv3:read",
    CallsV3Write => "callsv3:write",
    CampaignsV3Read => "campaignsv3:read",
    CampaignsV3Write => "campaignsv3:write",
    ChatbotsRead => "chatbots:read",
    ChatbotsWrite => "chatbots:write",
    ChatbotsV3Read => "chatbotsv3:read",
    ChatbotsV3Write => "chatbotsv3:write",
    AutomationRead => "automation:read",
    AutomationWrite => "automation:write",
    ChannelsV3Read => "channelsv3:read",
    WhatsAppAccountsRead => "whatsappaccounts:read",
    WebhooksCreate => "webhooks:create",
    WebhooksV3Read => "webhooksv3:read",
    WebhooksV3Write => "webhooksv3:write",
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope {name:?}; {}", expected_instead(name))]
pub struct UnknownScope {
    pub name: String,
}

/// The scope that was probably meant: the nearest name, or those of the named area (`calls`, `callsv3:delete`).
/// Otherwise all names.
fn expected_instead(name: &str) -> String {
    let names = || Scope::ALL.iter().map(|scope| scope.name());
    if let Some(nearest) = suggest::nearest(name, names()) {
        return format!("did you mean {nearest}?");
    }
    let area = name.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let of_area: Vec<&str> = names().filter(|known| !area.is_empty() && known.starts_with(&area)).collect();
    if of_area.is_empty() {
        return format!("expected one of {}", names().collect::<Vec<_>>().join(", "));
    }
    format!("did you mean {}?", of_area.join(", "))
}

impl Scope {
    /// A scope by its exact name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.name() == name)
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A set of scopes, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeSet(u64);

impl ScopeSet {
    pub const EMPTY: Self = Self(0);

    pub const fn from_scopes(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < scopes.len() {
            bits |= scopes[i].bit();
            i += 1;
        }
        Self(bits)
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Scope::name).collect()
    }

    /// Parses the scopes requested for a new token: exact names, `wati_integration:*` as another spelling of
    /// `service_integration:*`, and `area:*` for every action of an area.
    pub fn requested<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownScope> {
        names.into_iter().try_fold(Self::EMPTY, |set, name| Ok(set.union(Self::request_one(name)?)))
    }

    fn request_one(name: &str) -> Result<Self, UnknownScope> {
        let (area, action) = name.split_once(':').unwrap_or((name, ""));
        let area = if area == "wati_integration" { "service_integration" } else { area };
        let wanted = Scope::ALL.iter().copied().filter(|scope| match scope.name().split_once(':') {
            Some((known_area, known_action)) => known_area == area && (action == "*" || known_action == action),
            None => scope.name() == name,
        });
        let set = wanted.fold(Self::EMPTY, |set, scope| Self(set.0 | scope.bit()));
        if set.is_empty() { Err(UnknownScope { name: name.to_owned() }) } else { Ok(set) }
    }

    /// The scopes among these exact names, such as those that a token of another issuer claims. Unknown names grant
    /// nothing.
    pub fn literal<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().filter_map(Scope::named).fold(Self::EMPTY, |set, scope| Self(set.0 | scope.bit()))
    }

    /// The stored form: names separated by spaces.
    pub fn to_text(self) -> String {
        self.names().join(" ")
    }

    pub fn from_text(text: &str) -> Self {
        Self::literal(text.split(' '))
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl serde::Serialize for ScopeSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    #[error(transparent)]
    Unknown(#[from] UnknownScope),
    #[error("{scope} reaches itself through the hierarchy")]
    Cycle { scope: Scope },
}

/// The scopes that each granted scope includes, computed once.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    reaches: Vec<ScopeSet>,
}

impl Default for Hierarchy {
    /// `x:write` includes `x:read` and nothing else; `api` includes nothing.
    fn default() -> Self {
        let read_of =
            |scope: &Scope| scope.name().strip_suffix(":write").and_then(|area| Scope::named(&format!("{area}:read")));
        let reaches =
            Scope::ALL.iter().map(|scope| ScopeSet(scope.bit() | read_of(scope).map_or(0, Scope::bit))).collect();
        Self { reaches }
    }
}

impl Hierarchy {
    /// From configuration: each scope with those that it includes directly.
    pub fn new(edges: &BTreeMap<String, Vec<String>>) -> Result<Self, HierarchyError> {
        let mut reaches: Vec<ScopeSet> = Scope::ALL.iter().map(|_| ScopeSet::EMPTY).collect();
        for (from, to) in edges {
            let from = Scope::named(from).ok_or_else(|| UnknownScope { name: from.clone() })?;
            for name in to {
                let to = Scope::named(name).ok_or_else(|| UnknownScope { name: name.clone() })?;
                reaches[from as usize].0 |= to.bit();
            }
        }
        close_transitively(&mut reaches);
        if let Some(&scope) = Scope::ALL.iter().find(|scope| reaches[**scope as usize].contains(**scope)) {
            return Err(HierarchyError::Cycle { scope });
        }
        for scope in Scope::ALL {
            reaches[*scope as usize].0 |= scope.bit();
        }
        Ok(Self { reaches })
    }

    /// All scopes that a set of granted scopes includes, with the set itself.
    pub fn expand(&self, granted: ScopeSet) -> ScopeSet {
        granted.iter().fold(ScopeSet::EMPTY, |set, scope| set.union(self.reaches[scope as usize]))
    }
}

fn close_transitively(reaches: &mut [ScopeSet]) {
    for through in Scope::ALL {
        let beyond = reaches[*through as usize];
        for set in reaches.iter_mut() {
            if set.contains(*through) {
                *set = set.union(beyond);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_reaches_read_and_api_reaches_nothing() {
        let hierarchy = Hierarchy::default();
        let write = hierarchy.expand(ScopeSet::from_scopes(&[Scope::CallsV3Write]));
        assert_eq!(write.names(), ["callsv3:read", "callsv3:write"]);
        let api = hierarchy.expand(ScopeSet::from_scopes(&[Scope::Api]));
        assert_eq!(api.names(), ["api"]);
    }

    #[test]
    fn other_spellings_are_accepted_when_a_token_is_made() {
        let set = ScopeSet::requested(["wati_integration:write", "contactsv3:*", "api"]).unwrap();
        assert_eq!(set.names(), ["api", "contactsv3:read", "contactsv3:write", "service_integration:write"]);
        assert_eq!(ScopeSet::from_text(&set.to_text()), set);
        for bad in ["", "calls", "api:*", "callsv3:delete", "*", "CALLSV3:READ"] {
            assert!(ScopeSet::requested([bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_configured_hierarchy_is_closed_and_checked() {
        let edges = |pairs: &[(&str, &str)]| {
            pairs.iter().fold(BTreeMap::<String, Vec<String>>::new(), |mut map, (from, to)| {
                map.entry((*from).to_owned()).or_default().push((*to).to_owned());
                map
            })
        };
        let chain = edges(&[("api", "contacts:write"), ("contacts:write", "contacts:read")]);
        let reached = Hierarchy::new(&chain).unwrap().expand(ScopeSet::from_scopes(&[Scope::Api]));
        assert_eq!(reached.names(), ["api", "contacts:read", "contacts:write"]);
        let cycle = edges(&[("api", "contacts:read"), ("contacts:read", "api")]);
        assert_eq!(Hierarchy::new(&cycle).unwrap_err(), HierarchyError::Cycle { scope: Scope::Api });
        assert!(matches!(Hierarchy::new(&edges(&[("api", "nope")])), Err(HierarchyError::Unknown(_))));
    }

    #[test]
    fn every_scope_reads_back_by_its_exact_name() {
        for scope in Scope::ALL {
            assert_eq!((Scope::named(scope.name()), scope.to_string().as_str()), (Some(*scope), scope.name()));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.name());
            assert_eq!(Scope::named(&scope.name().to_uppercase()), None);
        }
        let refused = ScopeSet::requested(["nope"]).unwrap_err();
        assert_eq!(refused, UnknownScope { name: "nope".into() });
        assert!(
            refused.to_string().starts_with("unknown scope \"nope\"; expected one of api, contacts:read, "),
            "{refused}"
        );
        assert!(refused.to_string().ends_with(", webhooksv3:write"), "{refused}");
    }

    #[test]
    fn an_unknown_scope_gets_the_nearest_name() {
        for (name, meant) in [
            ("callsv3:raed", "callsv3:read"),
            ("CALLSV3:READ", "callsv3:read"),
            ("contacts_write", "contacts:write"),
            ("contact:read", "contacts:read"),
            ("webhook:create", "webhooks:create"),
            ("calls", "callsv3:read, callsv3:write"),
            ("callsv3:delete", "callsv3:read, callsv3:write"),
            ("service_integration", "service_integration:read, service_integration:write"),
        ] {
            let refused = ScopeSet::requested([name]).unwrap_err().to_string();
            assert_eq!(refused, format!("unknown scope {name:?}; did you mean {meant}?"));
        }
    }

    #[test]
    fn a_set_holds_exactly_what_was_put_in() {
        for one in Scope::ALL {
            let set = ScopeSet::from_scopes(&[*one]);
            let held: Vec<Scope> = Scope::ALL.iter().copied().filter(|scope| set.contains(*scope)).collect();
            assert_eq!((held.as_slice(), set.is_empty()), (&[*one][..], false), "each has a bit of its own");
        }
        assert!(ScopeSet::EMPTY.is_empty() && ScopeSet::from_scopes(&[]) == ScopeSet::EMPTY);
        assert_eq!(ScopeSet::from_scopes(Scope::ALL).iter().count(), Scope::ALL.len());
    }

    #[test]
    fn sets_meet_and_unite() {
        let reads = ScopeSet::from_scopes(&[Scope::ContactsRead, Scope::PaymentRead]);
        let writes = ScopeSet::from_scopes(&[Scope::ContactsWrite, Scope::PaymentRead]);
        assert!(reads.intersects(writes) && !reads.intersects(ScopeSet::from_scopes(&[Scope::Api])));
        assert!(!reads.intersects(ScopeSet::EMPTY));
        assert_eq!(reads.union(writes).names(), ["contacts:read", "contacts:write", "payment:read"]);
        assert_eq!(reads.union(reads), reads);
        assert_eq!(format!("{reads:?}"), r#"{"contacts:read", "payment:read"}"#);
        assert_eq!(serde_json::to_string(&reads).unwrap(), r#"["contacts:read","payment:read"]"#);
    }

    #[test]
    fn names_of_another_issuer_are_taken_literally() {
        let claimed = ScopeSet::literal(["contactsv3:*", "wati_integration:read", "calls", "callsv3:read", "api"]);
        assert_eq!(claimed.names(), ["api", "callsv3:read"], "what is not known grants nothing");
        assert_eq!(claimed.to_text(), "api callsv3:read");
        assert_eq!(ScopeSet::from_text(""), ScopeSet::EMPTY);
    }

    #[test]
    fn an_area_is_asked_for_as_a_whole_or_by_an_action() {
        for (name, granted) in [
            ("webhooks:*", vec!["webhooks:create"]),
            ("service_integration:read", vec!["service_integration:read"]),
            ("wati_integration:*", vec!["service_integration:read", "service_integration:write"]),
            ("payment:write", vec!["payment:write"]),
            ("api", vec!["api"]),
        ] {
            assert_eq!(ScopeSet::requested([name]).unwrap().names(), granted, "{name}");
        }
        assert_eq!(ScopeSet::requested([]), Ok(ScopeSet::EMPTY));
    }

    #[test]
    fn by_default_only_write_reaches_and_only_its_own_read() {
        let hierarchy = Hierarchy::default();
        for scope in Scope::ALL {
            let mut expected = vec![scope.name().to_owned()];
            if let Some(area) = scope.name().strip_suffix(":write") {
                expected.insert(0, format!("{area}:read"));
            }
            assert_eq!(hierarchy.expand(ScopeSet::from_scopes(&[*scope])).names(), expected);
        }
        assert_eq!(hierarchy.expand(ScopeSet::EMPTY), ScopeSet::EMPTY);
    }

    #[test]
    fn a_configured_hierarchy_reaches_through_any_chain_and_no_further() {
        // The chain runs against the order of the scopes, so that a single pass is not enough.
        let names = ["webhooksv3:write", "chatbots:read", "payment:write", "contacts:read"];
        let edges = names.windows(2).map(|pair| (pair[0].to_owned(), vec![pair[1].to_owned()])).collect();
        let hierarchy = Hierarchy::new(&edges).unwrap();
        let reached = |scope| hierarchy.expand(ScopeSet::from_scopes(&[scope])).names();
        assert_eq!(
            reached(Scope::WebhooksV3Write),
            ["contacts:read", "payment:write", "chatbots:read", "webhooksv3:write"]
        );
        assert_eq!(reached(Scope::PaymentWrite), ["contacts:read", "payment:write"]);
        assert_eq!(reached(Scope::ContactsRead), ["contacts:read"]);
        assert_eq!(reached(Scope::CallsV3Write), ["callsv3:write"], "the default hierarchy does not count");
        let unknown = BTreeMap::from([("nope".to_owned(), Vec::new())]);
        assert!(matches!(Hierarchy::new(&unknown), Err(HierarchyError::Unknown(_))));
        let itself = BTreeMap::from([("payment:read".to_owned(), vec!["payment:read".to_owned()])]);
        let cycle = Hierarchy::new(&itself).unwrap_err();
        assert_eq!(cycle.to_string(), "payment:read reaches itself through the hierarchy");
    }

    #[test]
    fn a_scope_that_is_named_twice_is_granted_once() {
        assert_eq!(ScopeSet::literal(["api", "api"]).names(), ["api"]);
        assert_eq!(ScopeSet::from_text("api payment:read api").names(), ["api", "payment:read"]);
        assert_eq!(
            ScopeSet::requested(["payment:*", "payment:read"]).unwrap().names(),
            ["payment:read", "payment:write"]
        );
    }
}
