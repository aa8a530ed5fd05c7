//! Driving the sandbox: its people, their actions, and faults. A table of routes, which the control socket serves too.

mod add_fault;
mod add_person;
mod call;
mod clear_faults;
mod driver;
mod faults;
mod forget_media;
mod graph;
mod inbox;
mod inbox_file;
mod inject;
mod number;
mod open;
mod pay;
mod people;
mod phone;
mod prefer;
mod review;
mod say;
mod scenario;
mod tap;

use domain::identity::permission::Permission;
use domain::identity::roles::DEVELOPERS;
use domain::identity::scopes::Scope::Api;

use driver::Driver;

use crate::gate::guarded;
use crate::routing::{Operations, routes};

/// API tokens are refused: a credential for production must not drive the sandbox.
const DRIVE: Permission = Permission::of(DEVELOPERS, &[Api]);

pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(DRIVE, routes!(people::list_sandbox_people)))
        .routes(guarded(DRIVE, routes!(add_person::add_sandbox_person)))
        .routes(guarded(DRIVE, routes!(inbox::get_sandbox_inbox)))
        .routes(guarded(DRIVE, routes!(inbox_file::get_sandbox_inbox_file)))
        .routes(guarded(DRIVE, routes!(say::say_in_sandbox)))
        .routes(guarded(DRIVE, routes!(tap::tap_in_sandbox)))
        .routes(guarded(DRIVE, routes!(open::open_in_sandbox)))
        .routes(guarded(DRIVE, routes!(call::call_in_sandbox)))
        .routes(guarded(DRIVE, routes!(pay::pay_in_sandbox)))
        .routes(guarded(DRIVE, routes!(prefer::prefer_in_sandbox)))
        .routes(guarded(DRIVE, routes!(phone::set_sandbox_phone)))
        .routes(guarded(DRIVE, routes!(faults::list_sandbox_faults)))
        .routes(guarded(DRIVE, routes!(add_fault::add_sandbox_fault)))
        .routes(guarded(DRIVE, routes!(clear_faults::clear_sandbox_faults)))
        .routes(guarded(DRIVE, routes!(review::review_sandbox_template)))
        .routes(guarded(DRIVE, routes!(number::set_sandbox_number)))
        .routes(guarded(DRIVE, routes!(forget_media::forget_sandbox_media)))
        .routes(guarded(DRIVE, routes!(scenario::set_sandbox_scenario)))
        .routes(guarded(DRIVE, routes!(inject::inject_in_sandbox)))
        .routes(guarded(DRIVE, routes!(graph::get_sandbox_graph)))
}
