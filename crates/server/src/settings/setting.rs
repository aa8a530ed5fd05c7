//! A setting of the catalogue, and the macro that generates structs and catalogue from the declaration in `model.rs`.

use toml::{Table, Value};

use super::kind::Kind;
use super::names::ENV_PREFIX;
use super::plans;

/// WhatsApp's Graph API, with the version that the client uses.
const WHATSAPP: &str = "https://graph.facebook.com/v23.0";

pub(super) struct Setting {
    /// The path in the config file.
    pub key: &'static str,
    pub kind: Kind,
    pub default: Fallback,
    pub flag: Option<&'static str>,
    pub doc: &'static str,
    /// Example in TOML for settings with a structure; else empty.
    pub example: &'static str,
}

/// The default value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fallback {
    /// The setting is optional; an empty text leaves it unset.
    Unset,
    Text(&'static str),
    Integer(i64),
    Boolean(bool),
    EmptyList,
    EmptyTable,
    /// WhatsApp's Graph API.
    Networks,
    Plans,
}

impl Fallback {
    pub fn value(self) -> Option<Value> {
        Some(match self {
            Self::Unset => return None,
            Self::Text(text) => Value::String(text.to_owned()),
            Self::Integer(number) => Value::Integer(number),
            Self::Boolean(value) => Value::Boolean(value),
            Self::EmptyList => Value::Array(Vec::new()),
            Self::EmptyTable => Value::Table(Table::new()),
            Self::Networks => Value::Table(Table::from_iter([("whatsapp".to_owned(), WHATSAPP.into())])),
            Self::Plans => Value::Table(plans::built_in()),
        })
    }
}

impl Setting {
    /// `doc` is a doc comment; each of its lines begins with a space.
    pub const fn new(key: &'static str, kind: Kind, default: Fallback, doc: &'static str) -> Self {
        Self { key, kind, default, flag: None, doc: doc.trim_ascii_start(), example: "" }
    }

    pub const fn flag(mut self, flag: &'static str) -> Self {
        self.flag = Some(flag);
        self
    }

    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    pub fn env_name(&self) -> String {
        format!("{ENV_PREFIX}{}", self.key.to_ascii_uppercase().replace('.', "_"))
    }

    pub fn is_optional(&self) -> bool {
        self.default == Fallback::Unset
    }

    /// The section of the config file, empty for the top.
    pub fn section(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// The name inside its section.
    pub fn name(&self) -> &'static str {
        self.key.rsplit_once('.').map_or(self.key, |(_, name)| name)
    }

    /// Whether layers are merged member by member, and not replaced as a whole.
    pub fn is_merged_by_member(&self) -> bool {
        matches!(self.kind, Kind::Plans | Kind::BaseUrls)
    }
}

/// Generates from a setting's declaration: the field of [`Settings`](super::Settings) or of its section's struct, the
/// entry of the catalogue, and the field of [`Flags`](super::Flags) if it has a flag. A declaration has documentation,
/// name, type, kind, default, and optionally a flag or an example.
macro_rules! settings {
    (
        top {
            $($(#[doc = $doc:literal])+ $name:ident: $type:ty = $kind:expr, $default:expr $(, flag $flag:literal)?;)*
        }
        sections {
            $(
                $(#[doc = $about:literal])*
                $section:ident: $struct:ident {
                    $(
                        $(#[doc = $inner_doc:literal])+
                        $(#[serde $inner_serde:tt])?
                        $inner:ident: $inner_type:ty = $inner_kind:expr, $inner_default:expr
                        $(, example $inner_example:expr)?;
                    )*
                }
            )*
        }
        tables {
            $(
                $(#[doc = $table_doc:literal])+
                $(#[serde $table_serde:tt])?
                $table:ident: $table_type:ty = $table_kind:expr, $table_default:expr $(, example $table_example:expr)?;
            )*
        }
    ) => {
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $name: $type,)*
            $(pub $section: $struct,)*
            $($(#[doc = $table_doc])+ $(#[serde $table_serde])? pub $table: $table_type,)*
        }

        $(
            $(#[doc = $about])*
            #[derive(Debug, Clone, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $struct {
                $($(#[doc = $inner_doc])+ $(#[serde $inner_serde])? pub $inner: $inner_type,)*
            }
        )*

        /// Settings given as flags, unparsed.
        #[derive(Clone, Default)]
        pub struct Flags {
            /// The config file; not a setting.
            pub config: Option<String>,
            $($(#[doc = $flag] pub $name: Option<String>,)?)*
        }

        impl Flags {
            /// Values with the keys of their settings.
            pub(super) fn by_key(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
                [$($((stringify!($name), $flag, self.$name.as_deref()),)?)*]
                    .into_iter()
                    .map(|(key, _, text)| (key, text))
            }
        }

        pub(super) static CATALOGUE: [Setting; [
            $(stringify!($name),)* $($(stringify!($inner),)*)* $(stringify!($table),)*
        ]
        .len()] = [
            $(Setting::new(stringify!($name), $kind, $default, concat!($($doc),+))$(.flag($flag))?,)*
            $($(
                Setting::new(
                    concat!(stringify!($section), ".", stringify!($inner)),
                    $inner_kind,
                    $inner_default,
                    concat!($($inner_doc),+),
                )$(.example($inner_example))?,
            )*)*
            $(
                Setting::new(stringify!($table), $table_kind, $table_default, concat!($($table_doc),+))
                    $(.example($table_example))?,
            )*
        ];
    };
}
pub(super) use settings;
