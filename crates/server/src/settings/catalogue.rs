//! The list of settings, generated from their declaration in `model.rs`. Names of variables, validation, help, the
//! sample file and `config show` derive from it.

pub(super) use super::model::CATALOGUE;
use super::setting::Setting;

pub(super) fn find(key: &str) -> Option<&'static Setting> {
    CATALOGUE.iter().find(|setting| setting.key == key)
}

pub(super) fn is_section(key: &str) -> bool {
    !key.is_empty() && CATALOGUE.iter().any(|setting| setting.section() == key)
}

/// Every name that a config file may contain, for suggestions.
pub(super) fn keys_and_sections() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().flat_map(|setting| [setting.key, setting.section()]).filter(|name| !name.is_empty())
}
