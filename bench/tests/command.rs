//! Runs the benchmark's binary. Because of this test cargo builds, and so lints, the binary together with all other
//! tests.

use std::process::Command;

#[test]
fn every_benchmark_is_in_the_help() {
    let output = Command::new(env!("CARGO_BIN_EXE_bench")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{help}");
    for benchmark in ["floor", "calls", "contacts", "inbound", "media", "clicks", "send", "tenants", "webhooks"] {
        assert!(help.contains(&format!("\n  {benchmark} ")), "{benchmark}:\n{help}");
    }
}
