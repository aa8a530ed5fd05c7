//! Letter case in paths: fixed segments are matched in any letter case; targets, ids and names keep theirs. Before
//! routing, the edge changes a path to the spelling of its route. Also the paths of V3 in the console's API.

use std::borrow::Cow;

/// The beginning of the paths of V3.
pub(crate) const V3: &str = "/api/ext/v3";
/// The beginning of the paths of the console's API.
pub(crate) const CONSOLE: &str = "/console/api";

/// All routes as a tree of segments.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    root: Node,
}

#[derive(Debug, Default)]
struct Node {
    literals: Vec<(String, Node)>,
    parameter: Option<Box<Node>>,
    is_route: bool,
}

impl Paths {
    pub fn new<'a>(routes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut paths = Self::default();
        for route in routes {
            paths.add(route);
        }
        paths
    }

    fn add(&mut self, route: &str) {
        let mut node = &mut self.root;
        for segment in route.trim_start_matches('/').split('/') {
            node =
                if segment.starts_with('{') { node.parameter.get_or_insert_default() } else { node.literal(segment) };
        }
        node.is_route = true;
    }

    /// Whether a route matches, in any letter case.
    pub fn has(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        self.root.find(&segments, &mut Vec::new())
    }

    /// The path in the route's own spelling; None if no route matches or the spelling is right already.
    pub fn respelled(&self, path: &str) -> Option<String> {
        let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        let mut found = Vec::with_capacity(segments.len());
        if !self.root.find(&segments, &mut found) || found.iter().eq(segments.iter()) {
            return None;
        }
        Some(found.iter().fold(String::with_capacity(path.len()), |mut out, segment| {
            out.push('/');
            out.push_str(segment);
            out
        }))
    }
}

impl Node {
    fn literal(&mut self, name: &str) -> &mut Node {
        let place = self.literals.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.literals.push((name.to_owned(), Self::default()));
            self.literals.len() - 1
        });
        &mut self.literals[place].1
    }

    /// Finds a route and collects its spelling. At every segment, fixed segments are tried before parameters.
    fn find<'a>(&'a self, segments: &[&'a str], found: &mut Vec<&'a str>) -> bool {
        let Some((first, rest)) = segments.split_first() else { return self.is_route };
        let literal = self.literals.iter().find(|(name, _)| name.eq_ignore_ascii_case(first));
        let ways =
            [literal.map(|(name, node)| (name.as_str(), node)), self.parameter.as_deref().map(|node| (*first, node))];
        ways.into_iter().flatten().any(|(segment, node)| {
            found.push(segment);
            node.find(rest, found) || {
                found.pop();
                false
            }
        })
    }
}

/// The path under which the console calls an operation of V3; None for operations of other families.
pub(crate) fn console_path(documented: &str) -> Option<String> {
    documented.strip_prefix(V3).map(|rest| format!("{CONSOLE}{rest}"))
}

/// The URI with its path respelled; None if it needs no change.
pub(crate) fn respell(paths: &Paths, uri: &axum::http::Uri) -> Option<axum::http::Uri> {
    let path = paths.respelled(uri.path())?;
    let target: Cow<'_, str> = match uri.query() {
        Some(query) => Cow::Owned(format!("{path}?{query}")),
        None => Cow::Owned(path),
    };
    target.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_ignore_case_and_the_rest_keeps_its_own() {
        let paths = Paths::new([
            "/api/ext/v3/contacts/count",
            "/api/ext/v3/contacts/{target}",
            "/{tenantId}/api/v1/getContacts",
            "/{tenantId}/api/v1/addContact/{whatsappNumber}",
        ]);
        for (path, expected) in [
            ("/100138/API/v1/getcontacts", Some("/100138/api/v1/getContacts")),
            ("/100138/api/v1/getContacts", None),
            ("/api/ext/V3/Contacts/US.AbC", Some("/api/ext/v3/contacts/US.AbC")),
            ("/api/ext/v3/contacts/COUNT", Some("/api/ext/v3/contacts/count")),
            ("/api/ext/v3/nothing", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(paths.respelled(path).as_deref(), expected, "{path}");
        }
    }
}
