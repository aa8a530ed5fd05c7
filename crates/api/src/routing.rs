//! Routes of operations, built from what `#[described::path]` says about each of them.
//!
//! With the feature `document`, which tests enable, the OpenAPI document is collected from the descriptions. Without it
//! there are none, and the server serves the committed document, which a test compares with the collected one.

use std::collections::BTreeSet;

use axum::Router;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter};
#[cfg(feature = "document")]
use utoipa::openapi::{Components, OpenApi, RefOr, path::Paths, schema::Schema};

use crate::state::ApiState;

/// The route of an operation, which `#[described::path]` declares.
pub(crate) struct Route {
    pub method: Method,
    pub path: &'static str,
}

/// The operations of one path.
#[derive(Default)]
pub(crate) struct PathOperations {
    pub path: &'static str,
    /// Each operation's method and id.
    pub ids: Vec<(Method, &'static str)>,
    pub router: MethodRouter<ApiState>,
    #[cfg(feature = "document")]
    pub described: Paths,
    #[cfg(feature = "document")]
    schemas: Vec<(String, RefOr<Schema>)>,
}

/// Operations of several paths.
#[derive(Clone, Default)]
pub(crate) struct Operations {
    pub router: Router<ApiState>,
    pub paths: BTreeSet<&'static str>,
    #[cfg(feature = "document")]
    pub document: OpenApi,
}

/// `routes!(area::first, area::second)`: the operations of one path, as [`PathOperations`].
macro_rules! routes {
    ($($($part:ident)::+),+ $(,)?) => {{
        let mut operations = $crate::routing::PathOperations::default();
        $(routes!(@add operations [] $($part)::+);)+
        operations
    }};
    (@add $operations:ident [$($module:ident)*] $next:ident :: $($rest:ident)::+) => {
        routes!(@add $operations [$($module)* $next] $($rest)::+)
    };
    (@add $operations:ident [$($module:ident)*] $name:ident) => {
        pastey::paste! {
            let method = $operations.add($($module::)* [<__route_ $name>], stringify!($name));
            #[cfg(feature = "document")]
            $operations.describe::<$($module::)* [<__path_ $name>]>();
        }
        $operations.router = $operations.router.on(method, $($module::)* $name);
    };
}

pub(crate) use routes;

impl PathOperations {
    /// Adds an operation, and returns its method for the router.
    pub fn add(&mut self, route: Route, id: &'static str) -> MethodFilter {
        self.path = route.path;
        self.ids.push((route.method.clone(), id));
        MethodFilter::try_from(route.method).unwrap_or(MethodFilter::GET)
    }

    /// Adds an operation's description.
    #[cfg(feature = "document")]
    pub fn describe<D: utoipa::Path + utoipa::__dev::Tags<'static> + utoipa::__dev::SchemaReferences>(&mut self) {
        let mut operation = D::operation();
        D::schemas(&mut self.schemas);
        let tags = D::tags();
        if !tags.is_empty() {
            operation.tags.get_or_insert_default().extend(tags.iter().map(ToString::to_string));
        }
        self.described.add_path_operation(D::path(), D::methods(), operation);
    }
}

impl Operations {
    pub fn routes(mut self, operations: PathOperations) -> Self {
        self.router = self.router.route(operations.path, operations.router);
        #[cfg(feature = "document")]
        {
            for (path, item) in operations.described.paths {
                if let Some(known) = self.document.paths.paths.get_mut(&path) {
                    known.merge_operations(item);
                } else {
                    self.document.paths.paths.insert(path, item);
                }
            }
            self.document.components.get_or_insert_with(Components::new).schemas.extend(operations.schemas);
        }
        self.paths.insert(operations.path);
        self
    }

    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.paths.extend(other.paths);
        #[cfg(feature = "document")]
        self.document.merge(other.document);
        self
    }
}
