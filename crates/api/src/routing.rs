//! Routes of operations, built from what `#[utoipa::path]` says about each of them.
//!
//! A debug build also collects the OpenAPI document from the descriptions. A release build serves the committed
//! document, which a test compares with the collected one, so it starts faster.

use std::collections::BTreeSet;

use axum::Router;
use axum::routing::{MethodFilter, MethodRouter};
use utoipa::openapi::HttpMethod;
#[cfg(debug_assertions)]
use utoipa::openapi::{Components, OpenApi, RefOr, path::Paths, schema::Schema};

use crate::ApiState;

/// The operations of one path.
#[derive(Default)]
pub(crate) struct PathOperations {
    pub path: String,
    /// Each operation's methods and id.
    pub ids: Vec<(Vec<HttpMethod>, &'static str)>,
    pub router: MethodRouter<ApiState>,
    #[cfg(debug_assertions)]
    pub described: Paths,
    #[cfg(debug_assertions)]
    schemas: Vec<(String, RefOr<Schema>)>,
}

/// Operations of several paths.
#[derive(Clone, Default)]
pub(crate) struct Operations {
    pub router: Router<ApiState>,
    pub paths: BTreeSet<String>,
    #[cfg(debug_assertions)]
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
            let methods = $operations.add::<$($module::)* [<__path_ $name>]>(stringify!($name));
        }
        $operations.router = $operations.router.on(methods, $($module::)* $name);
    };
}

pub(crate) use routes;

impl PathOperations {
    /// Adds what the operation's description says, and returns its methods.
    pub fn add<D: utoipa::Path + utoipa::__dev::Tags<'static> + utoipa::__dev::SchemaReferences>(
        &mut self,
        id: &'static str,
    ) -> MethodFilter {
        let (path, methods) = (D::path(), D::methods());
        #[cfg(debug_assertions)]
        {
            let mut operation = D::operation();
            D::schemas(&mut self.schemas);
            let tags = D::tags();
            if !tags.is_empty() {
                operation.tags.get_or_insert_default().extend(tags.iter().map(ToString::to_string));
            }
            self.described.add_path_operation(&path, methods.clone(), operation);
        }
        let filter = methods.iter().map(filter).reduce(MethodFilter::or).unwrap_or(MethodFilter::GET);
        self.ids.push((methods, id));
        self.path = path;
        filter
    }
}

fn filter(method: &HttpMethod) -> MethodFilter {
    match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
    }
}

impl Operations {
    pub fn routes(mut self, operations: PathOperations) -> Self {
        self.router = self.router.route(&operations.path, operations.router);
        #[cfg(debug_assertions)]
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
        #[cfg(debug_assertions)]
        self.document.merge(other.document);
        self
    }
}
