//! The binary `switchboard`. Everything it does is in the library of the same crate, where tests reach it.

fn main() -> std::process::ExitCode {
    server::cli::main()
}
