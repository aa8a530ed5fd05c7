//! Enums whose variants have one name, used on the wire, in the database and in logs.

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text { $($text => Ok(Self::$variant),)+ _ => Err(()) }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use named;

#[cfg(test)]
mod tests {
    named! {
        /// For the tests below.
        Sign { Plus => "plus", Minus => "minus_sign" }
    }

    #[test]
    fn a_variant_has_one_name_everywhere() {
        for (sign, name) in [(Sign::Plus, "plus"), (Sign::Minus, "minus_sign")] {
            assert_eq!((sign.name(), sign.to_string().as_str(), name.parse()), (name, name, Ok(sign)));
            assert_eq!(serde_json::to_value(sign).unwrap(), name);
        }
        assert_eq!(Sign::ALL, [Sign::Plus, Sign::Minus]);
        for other in ["", "Plus", "minus"] {
            assert_eq!(other.parse::<Sign>(), Err(()), "{other}");
        }
    }
}
