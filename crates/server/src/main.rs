//! The binary `switchboard`. Everything it does is in the library of the same crate, where tests reach it.

/// A request makes many small allocations on several threads at once: what it is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    server::cli::main()
}
