//! Logs to standard error, and traces to an OpenTelemetry collector if one is configured. A slow or dead collector
//! costs traces, never requests: spans wait in a bounded queue that a separate thread sends.

use std::io::IsTerminal as _;
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer};

use crate::settings::{self, LogFormat, Settings};

/// Silences notices of the database driver during migrations; a directive in `log.level` overrides it.
const QUIET: &str = "tokio_postgres=warn";
/// The only spans that leave the process.
const TRACED: &str = "switchboard::request";
const TRACES_PATH: &str = "/v1/traces";
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);

/// Holds the trace exporter, which must be flushed at the end.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

/// Installs logging and tracing for the process; may be called once.
pub fn install(settings: &Settings) -> anyhow::Result<Telemetry> {
    let endpoint = settings.telemetry.otlp_endpoint.as_deref();
    let traces = endpoint.map(|endpoint| provider(endpoint, &settings.telemetry.service_name)).transpose()?;
    let exported = traces.as_ref().map(|provider| {
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("switchboard"));
        layer.with_filter(filter_fn(|metadata| metadata.is_span() && metadata.target() == TRACED))
    });
    tracing_subscriber::registry()
        .with(exported)
        .with(logs(&settings.log)?)
        .try_init()
        .context("the log cannot be set up twice")?;
    Ok(Telemetry { traces })
}

impl Telemetry {
    /// Sends the remaining traces, within this time.
    pub async fn finish(self, within: Duration) {
        let Some(provider) = self.traces else { return };
        let flushing = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(within));
        if !matches!(tokio::time::timeout(within, flushing).await, Ok(Ok(Ok(())))) {
            tracing::warn!("the last traces could not be sent");
        }
    }
}

fn logs<S>(log: &settings::Log) -> anyhow::Result<Box<dyn Layer<S> + Send + Sync>>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let filter = EnvFilter::try_new(format!("{QUIET},{}", log.level)).context("log.level")?;
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    Ok(match log.format {
        LogFormat::Text => layer.with_ansi(std::io::stderr().is_terminal()).with_filter(filter).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_filter(filter).boxed(),
    })
}

fn provider(endpoint: &str, service: &str) -> anyhow::Result<SdkTracerProvider> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(traces_url(endpoint))
        .with_timeout(EXPORT_TIMEOUT)
        .build()
        .context("telemetry.otlp_endpoint")?;
    let resource = Resource::builder().with_service_name(service.to_owned()).build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

/// The setting has the collector's base URL; traces have a path below it.
fn traces_url(endpoint: &str) -> String {
    let base = endpoint.trim_end_matches('/');
    format!("{}{TRACES_PATH}", base.strip_suffix(TRACES_PATH).unwrap_or(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_added_once() {
        for endpoint in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(traces_url(endpoint), "http://c:4318/v1/traces");
        }
        assert_eq!(traces_url("https://c/otlp"), "https://c/otlp/v1/traces");
    }
}
