//! Formats results: an aligned Markdown table, and JSON.

use std::{fmt::Write as _, fs, thread, time::Duration};

use serde_json::{Value, json};

use crate::child::Measured;
use crate::load::Measurement;
use crate::served::Database;

const COLUMNS: [&str; 7] = ["row", "requests/s", "p50 µs", "p99 µs", "bytes", "server µs/request", "of the floor"];
const COMPARED: [&str; 6] = ["row", "PostgreSQL/s", "Citus/s", "ratio", "PostgreSQL p50 µs", "Citus p50 µs"];

#[derive(Debug)]
pub struct Report {
    pub title: String,
    /// Conditions of the run and results that are no rows, each with a name.
    pub facts: Vec<(&'static str, String)>,
    pub rows: Vec<Row>,
}

/// Rows and facts that one part of a benchmark adds to the report.
#[derive(Debug)]
pub struct PartResult {
    pub rows: Vec<Row>,
    pub facts: Vec<(&'static str, String)>,
}

#[derive(Debug)]
pub struct Row {
    pub name: String,
    pub measured: Measured,
    /// Requests per second of the floor that the row is compared with.
    pub floor: Option<f64>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.floor.map(|floor| self.measured.load.requests_per_second / floor)
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        let load = &self.measured.load;
        [
            self.name.clone(),
            per_second(load.requests_per_second),
            micros(load.p50),
            micros(load.p99),
            load.bytes_per_answer.to_string(),
            format!("{:.1}", self.measured.server_time_per_request.as_secs_f64() * 1e6),
            self.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
        ]
    }

    fn json(&self) -> Value {
        let load = &self.measured.load;
        json!({
            "name": self.name,
            "requests_per_second": load.requests_per_second,
            "p50_ns": nanos(load.p50),
            "p99_ns": nanos(load.p99),
            "bytes_per_answer": load.bytes_per_answer,
            "count": load.count,
            "server_ns_per_request": nanos(self.measured.server_time_per_request),
            "ratio_to_floor": self.ratio(),
        })
    }
}

impl Report {
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n", self.title);
        for (name, value) in &self.facts {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "- {name}: {value}");
        }
        text.push('\n');
        text.push_str(&table(&COLUMNS, &self.rows.iter().map(Row::cells).collect::<Vec<_>>()));
        text
    }

    pub fn json(&self) -> Value {
        let facts: serde_json::Map<_, _> =
            self.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let rows: Vec<_> = self.rows.iter().map(Row::json).collect();
        json!({ "title": self.title, "facts": facts, "rows": rows })
    }
}

/// Compares each report on Citus with that of the same measurement on PostgreSQL: the rows that both have. Those of the
/// floor show how much the machine itself varied.
pub fn comparisons(reports: &[Report]) -> impl Iterator<Item = String> {
    let [plain, distributed] = [Database::Postgres.name(), Database::Citus.name()];
    reports.iter().filter_map(move |report| {
        let title = report.title.replace(distributed, plain);
        let other = reports.iter().find(|other| report.title != title && other.title == title)?;
        let both = report.rows.iter().filter_map(|row| {
            let same = other.rows.iter().find(|same| same.name == row.name)?;
            Some(compared(&same.measured.load, row))
        });
        let rows: Vec<_> = both.collect();
        Some(format!("## {} beside {plain}\n\n{}", report.title, table(&COMPARED, &rows)))
    })
}

fn compared(plain: &Measurement, row: &Row) -> [String; COMPARED.len()] {
    let load = &row.measured.load;
    let ratio = load.requests_per_second / plain.requests_per_second;
    let [plain_rate, rate] = [plain, load].map(|load| per_second(load.requests_per_second));
    [row.name.clone(), plain_rate, rate, format!("{ratio:.2}"), micros(plain.p50), micros(load.p50)]
}

/// Describes the machine, without which numbers cannot be compared.
pub fn machine() -> String {
    let cores = thread::available_parallelism().map_or_else(|_| "?".to_owned(), |cores| cores.to_string());
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    let model = model.map_or("unknown processor", |(_, model)| model.trim());
    format!("{model}, {cores} cores, shared by client, server and database")
}

fn table<const N: usize>(columns: &[&str; N], rows: &[[String; N]]) -> String {
    let mut widths = columns.map(|column| column.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = line(&columns.map(str::to_owned), &widths);
    text.push_str(&rule(&widths));
    for row in rows {
        text.push_str(&line(row, &widths));
    }
    text
}

/// Aligns the name left and numbers right.
fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = format!("| {:<width$} |", cells[0], width = widths[0]);
    for (cell, width) in cells.iter().zip(widths).skip(1) {
        // Writing to a String cannot fail.
        let _ = write!(text, " {cell:>width$} |");
    }
    text.push('\n');
    text
}

fn rule(widths: &[usize]) -> String {
    let mut text = format!("|{}|", "-".repeat(widths[0] + 2));
    for width in &widths[1..] {
        text.push_str(&"-".repeat(width + 1));
        text.push_str(":|");
    }
    text.push('\n');
    text
}

/// Rates under 10 are printed with two decimals, others with none.
fn per_second(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.2}") } else { format!("{rate:.0}") }
}

/// Zero stands for a time that was not measured.
fn micros(duration: Duration) -> String {
    if duration.is_zero() {
        return "–".to_owned();
    }
    format!("{:.0}", duration.as_secs_f64() * 1e6)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[expect(clippy::print_stdout, reason = "the results are the program's output")]
pub fn print(text: &str) {
    print!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let load = Measurement {
            requests_per_second: 12_345.6,
            p50: Duration::from_nanos(987_654),
            p99: Duration::from_millis(12),
            bytes_per_answer: 14_336,
            count: 61_728,
            count_with_warm_up: 70_000,
        };
        let measured = Measured { load, server_time_per_request: Duration::from_micros(41) };
        let rows = vec![
            Row { name: "floor".into(), measured: measured.clone(), floor: None },
            Row { name: "GET /calls?limit=20".into(), measured, floor: Some(24_691.2) },
        ];
        Report { title: "Calls".into(), facts: vec![("connections", "16".into())], rows }
    }

    #[test]
    fn markdown_is_an_aligned_table_under_its_facts() {
        let expected = "\
## Calls

- connections: 16

| row                 | requests/s | p50 µs | p99 µs | bytes | server µs/request | of the floor |
|---------------------|-----------:|-------:|-------:|------:|------------------:|-------------:|
| floor               |      12346 |    988 |  12000 | 14336 |              41.0 |            – |
| GET /calls?limit=20 |      12346 |    988 |  12000 | 14336 |              41.0 |         0.50 |
";
        assert_eq!(report().markdown(), expected);
    }

    #[test]
    fn rows_on_citus_are_compared_with_the_same_on_postgresql() {
        let on = |database: Database, faster: f64| {
            let mut report = Report { title: format!("Calls on {}, 10 rows", database.name()), ..report() };
            for row in &mut report.rows {
                row.measured.load.requests_per_second *= faster;
            }
            report
        };
        let reports = [on(Database::Sqlite, 2.0), on(Database::Postgres, 1.0), on(Database::Citus, 0.5)];
        let expected = "\
## Calls on Citus, 10 rows beside PostgreSQL

| row                 | PostgreSQL/s | Citus/s | ratio | PostgreSQL p50 µs | Citus p50 µs |
|---------------------|-------------:|--------:|------:|------------------:|-------------:|
| floor               |        12346 |    6173 |  0.50 |               988 |          988 |
| GET /calls?limit=20 |        12346 |    6173 |  0.50 |               988 |          988 |
";
        assert_eq!(comparisons(&reports).collect::<Vec<_>>(), [expected]);
        assert_eq!(comparisons(&reports[..2]).count(), 0);
    }

    #[test]
    fn rare_things_are_printed_in_hundredths() {
        assert_eq!([0.537, 9.994, 10.4, 141.6].map(per_second), ["0.54", "9.99", "10", "142"]);
    }

    #[test]
    fn json_carries_the_exact_numbers() {
        let json = report().json();
        assert_eq!(json["facts"]["connections"], "16");
        assert_eq!(json["rows"][0]["ratio_to_floor"], Value::Null);
        assert_eq!(json["rows"][1]["p50_ns"], 987_654);
        assert_eq!(json["rows"][1]["server_ns_per_request"], 41_000);
        assert!((json["rows"][1]["ratio_to_floor"].as_f64().unwrap() - 0.5).abs() < 1e-9);
    }
}
