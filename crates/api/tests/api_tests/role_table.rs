//! The table of roles and operations in `docs/accounts.md`, with which every operation is compared: its declaration here,
//! its answers in `permissions.rs`, `console/operations.rs` and `console/sessions.rs`.

use domain::identity::roles::Role;
use serde_json::Value;

const PAGE: &str = include_str!("../../../../docs/accounts.md");
/// The mark of a role that has the operations of a row.
const YES: &str = "✓";

/// Operations that a row names: those at a path, or below it, with any method or with one.
#[derive(Debug)]
struct Pattern {
    method: Option<String>,
    path: String,
    is_below: bool,
    roles: Vec<Role>,
}

impl Pattern {
    fn parse(text: &str, roles: &[Role]) -> Self {
        let (method, path) = text.split_once(' ').map_or((None, text), |(method, path)| (Some(method), path));
        let folder = path.strip_suffix("/…");
        Self {
            method: method.map(str::to_owned),
            path: folder.unwrap_or(path).to_owned(),
            is_below: folder.is_some(),
            roles: roles.to_vec(),
        }
    }

    fn matches(&self, method: &str, path: &str) -> bool {
        let is_at = if self.is_below {
            path.strip_prefix(&self.path).is_some_and(|rest| rest.starts_with('/'))
        } else {
            path == self.path
        };
        is_at && self.method.as_ref().is_none_or(|own| own == method)
    }

    /// Of several patterns that match, the most precise one counts.
    fn precision(&self) -> (bool, usize, bool) {
        (!self.is_below, self.path.len(), self.method.is_some())
    }
}

pub(crate) struct RoleTable(Vec<Pattern>);

impl RoleTable {
    pub fn read() -> Self {
        let mut lines = PAGE.lines().skip_while(|line| !line.starts_with("| operations |"));
        let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
        let roles: Vec<Role> =
            cells(lines.next().unwrap())[1..].iter().map(|name| name.trim_matches('`').parse().unwrap()).collect();
        let mut patterns = Vec::new();
        for row in lines.skip(1).take_while(|line| line.starts_with('|')).map(cells) {
            let marked = |role: &Role| roles.iter().zip(&row[1..]).any(|(one, mark)| one == role && *mark == YES);
            let marked: Vec<Role> = Role::ALL.into_iter().filter(marked).collect();
            patterns.extend(row[0].split(", ").map(|text| Pattern::parse(text.trim_matches('`'), &marked)));
        }
        Self(patterns)
    }

    /// The roles that have the operation at this path of the document.
    pub fn roles(&self, method: &str, path: &str) -> &[Role] {
        &self.pattern(method, path).roles
    }

    fn pattern(&self, method: &str, path: &str) -> &Pattern {
        let path = path.strip_prefix("/api/ext/v3").unwrap_or(path);
        let found = self.0.iter().filter(|one| one.matches(method, path)).max_by_key(|one| one.precision());
        found.unwrap_or_else(|| panic!("the table of roles in docs/accounts.md has no row for {method} {path}"))
    }
}

#[test]
fn every_operation_declares_the_roles_of_the_table() {
    let table = RoleTable::read();
    let mut used = Vec::new();
    for document in [api::openapi(), api::console_openapi()] {
        let document: Value = serde_json::from_str(&document).unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let (method, declared) = (method.to_uppercase(), &operation["x-service-permissions"]);
                if declared["public"] == true {
                    continue;
                }
                let pattern = table.pattern(&method, path);
                let names: Vec<_> = pattern.roles.iter().map(|role| Value::from(role.name())).collect();
                assert_eq!(declared["roles"], Value::from(names), "{method} {path}");
                used.push(std::ptr::from_ref(pattern));
            }
        }
    }
    assert!(used.len() > 200, "{}", used.len());
    let unused: Vec<_> = table.0.iter().filter(|one| !used.contains(&std::ptr::from_ref(*one))).collect();
    assert!(unused.is_empty(), "the table names operations that do not exist: {unused:?}");
}

#[test]
fn a_longer_path_and_a_method_take_precedence() {
    let table = RoleTable::read();
    let has = |method: &str, path: &str, role: Role| table.roles(method, path).contains(&role);
    assert!(has("GET", "/api/ext/v3/contacts/{target}", Role::Operator));
    assert!(!has("GET", "/api/ext/v3/contacts/export", Role::Operator));
    assert!(!has("DELETE", "/api/ext/v3/contacts/{target}", Role::Operator));
    assert!(has("GET", "/api/ext/v3/broadcasts/{id}", Role::Trial));
    assert!(!has("POST", "/api/ext/v3/broadcasts/{id}/cancel", Role::Trial));
    assert!(has("POST", "/{tenantId}/api/v1/addContact", Role::Operator));
}

/// What an operator does not have, whatever the table says.
#[test]
fn an_operator_connects_nothing_and_takes_nothing_away() {
    let table = RoleTable::read();
    for (method, path) in [
        ("POST", "/api/ext/v3/webhooks"),
        ("GET", "/api/ext/v3/events"),
        ("GET", "/api/ext/v3/events/stream"),
        ("GET", "/api/ext/v3/channels"),
        ("GET", "/api/ext/v3/contacts/export"),
        ("POST", "/{tenantId}/api/v2/webhookEndpoints"),
        ("GET", "/console/api/plan"),
        ("POST", "/console/api/tokens"),
        ("GET", "/console/api/audit"),
        ("GET", "/console/api/settings"),
    ] {
        for role in [Role::Operator, Role::Trial] {
            assert!(!table.roles(method, path).contains(&role), "{role} {method} {path}");
        }
    }
}
