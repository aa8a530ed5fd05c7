//! The binary `switchboard`. The code is in the library of this crate, so that tests can use it.

/// Requests make many small allocations on several threads at once, which mimalloc is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    server::cli::main()
}
