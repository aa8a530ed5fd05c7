//! A connection in use: its statements, their time limit, and the two ways to send them.
//!
//! - Prepared (the usual way): a statement is parsed and planned once for a connection, and its settings belong to the
//!   connection.
//! - Without (`PostgresOptions::prepared` is false): each statement is sent with its text as an unnamed statement, whose
//!   parse, bind and execute messages are one request, and the server infers the types of the parameters as it does for
//!   a prepared one. Settings are those of a transaction (`SET LOCAL`). Nothing outlives a transaction, so that a
//!   pooler may run each on another connection.
//!
//! The futures of the second way are boxed: otherwise those of the first, which is the usual one, would have room for
//! them.
//!
//! PostgreSQL cancels a statement that exceeds its time. If the server says nothing at all, the client stops waiting
//! `GRACE` later. A connection with such a statement, or one that the server cannot use any longer, is not used again.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool_postgres::Object;
use futures_util::FutureExt as _;
use futures_util::future::join3;
use tokio::sync::OwnedSemaphorePermit;
use tokio_postgres::error::Severity;
use tokio_postgres::types::{Kind, ToSql, Type};
use tokio_postgres::{Row as PgRow, SimpleQueryMessage, Statement as Prepared};

use super::PostgresOptions;
use crate::base::turns::Turn;
use crate::{Error, Param, Result, Statement};

/// The client waits this long after the time limit of a statement for the server to say that it is cancelled.
const GRACE: Duration = Duration::from_secs(3);
/// The name of a statement that lives for one request, to learn the types of its parameters.
const TYPES_OF: &str = "switchboard_types_of";
/// Object id 0: the server infers the type of the parameter.
static INFERRED: LazyLock<Type> = LazyLock::new(|| Type::new(String::new(), 0, Kind::Simple, String::new()));

/// A connection in use, within the caps of its tenant and of all requests.
#[derive(Debug)]
pub(crate) struct PooledClient {
    client: Object,
    options: PostgresOptions,
    /// Whether the connection must not be used again.
    is_doubtful: AtomicBool,
    _turns: (Turn, Option<OwnedSemaphorePermit>),
}

impl Deref for PooledClient {
    type Target = Object;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

impl DerefMut for PooledClient {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.client
    }
}

impl PooledClient {
    pub fn new(client: Object, options: PostgresOptions, turns: (Turn, Option<OwnedSemaphorePermit>)) -> Self {
        Self { client, options, is_doubtful: AtomicBool::new(false), _turns: turns }
    }

    /// Gives the connection back, or closes it if it is not to be used again.
    pub fn give_back(self) {
        if self.is_doubtful() {
            self.close();
        }
    }

    pub fn close(self) {
        drop(Object::take(self.client));
    }

    pub fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Relaxed)
    }

    /// Waits for an answer of the server, but not for longer than the statement may take. A chain of combinators: an
    /// `async` block would have room for the work twice, in every future of the application that asks the database.
    fn answer<'a, T: 'a>(
        &'a self,
        statement: &'a str,
        work: impl Future<Output = Result<T, tokio_postgres::Error>> + 'a,
    ) -> impl Future<Output = Result<T>> + 'a {
        let limit = self.options.statement_timeout.map_or(Duration::MAX, |limit| limit + GRACE);
        tokio::time::timeout(limit, work).map(move |outcome| {
            let (error, is_usable) = match outcome {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => (Error::postgres(statement, &error), is_about_another_server(&error)),
                Err(_) => (Error::Unavailable(format!("{statement}: no answer within {limit:?}")), false),
            };
            if matches!(error, Error::Unavailable(_)) && !is_usable {
                self.is_doubtful.store(true, Ordering::Relaxed);
            }
            Err(error)
        })
    }

    /// The statement prepared on this connection; none if statements are not prepared.
    pub async fn prepare(&self, statement: &Statement) -> Result<Option<Prepared>> {
        self.prepare_text(statement.name(), statement.for_postgres()).await
    }

    pub async fn prepare_text(&self, name: &str, text: &str) -> Result<Option<Prepared>> {
        if !self.options.prepared {
            return Ok(None);
        }
        self.answer(name, self.prepare_cached(text)).await.map(Some)
    }

    /// The types of the statement's parameters, learned once for a process.
    pub async fn parameter_types<'s>(&self, statement: &'s Statement) -> Result<&'s [Type]> {
        if let Some(known) = statement.known_types() {
            return Ok(known);
        }
        let types = match self.prepare(statement).await? {
            Some(prepared) => prepared.params().to_vec(),
            None => Box::pin(self.ask_types(statement)).await?,
        };
        Ok(statement.keep_types(types))
    }

    /// One request, so that a pooler does not separate its parts.
    async fn ask_types(&self, statement: &Statement) -> Result<Vec<Type>> {
        let text = statement.for_postgres();
        let ask = format!(
            "PREPARE {TYPES_OF} AS {text}; SELECT unnest(parameter_types)::text FROM pg_prepared_statements
                WHERE name = '{TYPES_OF}'; DEALLOCATE {TYPES_OF}"
        );
        let messages = self.answer(statement.name(), self.simple_query(&ask)).await?;
        let named = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(named.map(type_of).collect())
    }

    pub async fn fetch(
        &self,
        prepared: Option<&Prepared>,
        statement: &Statement,
        params: &[Param<'_>],
    ) -> Result<Vec<PgRow>> {
        let name = statement.name();
        if let Some(prepared) = prepared {
            return self.answer(name, self.query(prepared, &refs(params))).await;
        }
        let values = inferred(params);
        Box::pin(self.answer(name, self.query_typed(statement.for_postgres(), &values))).await
    }

    /// Fetches with a text that is not prepared.
    pub async fn fetch_text(&self, name: &str, text: &str, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        let values = inferred(params);
        Box::pin(self.answer(name, self.query_typed(text, &values))).await
    }

    /// Fetches outside of a transaction. Without prepared statements, one around the statement carries its time limit;
    /// all three parts are sent together.
    pub async fn fetch_alone(
        &self,
        prepared: Option<&Prepared>,
        statement: &Statement,
        params: &[Param<'_>],
    ) -> Result<Vec<PgRow>> {
        if self.options.prepared || self.options.statement_timeout.is_none() {
            return self.fetch(prepared, statement, params).await;
        }
        let begin = self.begin();
        let fetch = self.fetch(prepared, statement, params);
        let all = join3(self.batch("begin", &begin), fetch, self.batch("end", "COMMIT"));
        let (opened, rows, ended) = Box::pin(all).await;
        let rows = rows?;
        opened.and(ended)?;
        Ok(rows)
    }

    pub async fn execute(
        &self,
        prepared: Option<&Prepared>,
        statement: &Statement,
        params: &[Param<'_>],
    ) -> Result<u64> {
        let name = statement.name();
        let client: &tokio_postgres::Client = self;
        if let Some(prepared) = prepared {
            return self.answer(name, client.execute(prepared, &refs(params))).await;
        }
        let values = inferred(params);
        Box::pin(self.answer(name, self.execute_typed(statement.for_postgres(), &values))).await
    }

    /// Executes the text over arrays of a statement whose parameters have these types.
    pub async fn execute_over_arrays(
        &self,
        prepared: Option<&Prepared>,
        name: &str,
        text: &str,
        types: &[Type],
        bound: &[&(dyn ToSql + Sync)],
    ) -> Result<u64> {
        let client: &tokio_postgres::Client = self;
        if let Some(prepared) = prepared {
            return self.answer(name, client.execute(prepared, bound)).await;
        }
        let arrays = types.iter().enumerate().map(|(at, of)| if at == 0 { of.clone() } else { array_of(of) });
        let values: Vec<_> = bound.iter().copied().zip(arrays).collect();
        Box::pin(self.answer(name, self.execute_typed(text, &values))).await
    }

    /// Statements without parameters and rows.
    pub async fn batch(&self, name: &str, text: &str) -> Result<()> {
        self.answer(name, self.batch_execute(text)).await
    }

    pub fn begin(&self) -> String {
        self.with_time_limit("BEGIN")
    }

    /// Begins a transaction all of whose statements see the same state.
    pub fn begin_repeatable(&self) -> String {
        self.with_time_limit("BEGIN ISOLATION LEVEL REPEATABLE READ")
    }

    fn with_time_limit(&self, begin: &str) -> String {
        match self.options {
            PostgresOptions { prepared: false, statement_timeout: Some(limit) } => {
                format!("{begin}; SET LOCAL statement_timeout = {}", limit.as_millis())
            }
            _ => begin.to_owned(),
        }
    }
}

/// Whether the server says that it has lost another one, as Citus does of a worker. Its own connection can be used on.
fn is_about_another_server(error: &tokio_postgres::Error) -> bool {
    error
        .as_db_error()
        .is_some_and(|said| said.code().code().starts_with("08") && said.parsed_severity() == Some(Severity::Error))
}

fn type_of(name: &str) -> Type {
    match name {
        "bigint" => Type::INT8,
        "text" => Type::TEXT,
        "bytea" => Type::BYTEA,
        "boolean" => Type::BOOL,
        _ => Type::UNKNOWN,
    }
}

fn array_of(of: &Type) -> Type {
    match *of {
        Type::INT8 => Type::INT8_ARRAY,
        Type::TEXT => Type::TEXT_ARRAY,
        Type::BYTEA => Type::BYTEA_ARRAY,
        Type::BOOL => Type::BOOL_ARRAY,
        _ => Type::UNKNOWN,
    }
}

pub(crate) fn refs<'a>(params: &'a [Param<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

fn inferred<'a>(params: &'a [Param<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    params.iter().map(|param| (param as &(dyn ToSql + Sync), INFERRED.clone())).collect()
}
