//! The class of a click and what reported it.

use crate::base::named::named;
use crate::base::schema::ToSchema;

named! {
    /// Who opened a link. `human`: a person, for the first time. `repeat`: a person again, or a second report of the
    /// same click. `preview`: a program that shows or lists the page. `prefetch`: a browser that loads the page in
    /// advance. `scanner`: a program that checks whether the link is harmful, or a tool.
    #[derive(ToSchema)]
    #[schema(as = ClickClass, rename_all = "snake_case")]
    ClickClass {
        Human => "human",
        Repeat => "repeat",
        Preview => "preview",
        Prefetch => "prefetch",
        Scanner => "scanner",
    }
}

named! {
    /// What reported the click: `redirect` is a request for the link at this server; `network` is a report from the
    /// network that the link was followed.
    #[derive(ToSchema)]
    #[schema(as = ClickSource, rename_all = "snake_case")]
    ClickSource {
        Redirect => "redirect",
        Network => "network",
    }
}

impl ClickClass {
    pub const fn is_person(self) -> bool {
        matches!(self, Self::Human | Self::Repeat)
    }

    /// The first hit of a person on a button is `human`, every later one a `repeat`.
    #[must_use]
    pub const fn after(self, person_before: bool) -> Self {
        match self {
            Self::Human | Self::Repeat if person_before => Self::Repeat,
            Self::Human | Self::Repeat => Self::Human,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ClickClass::{Human, Prefetch, Preview, Repeat, Scanner};
    use super::*;

    #[test]
    fn names_are_parsed_back() {
        for class in ClickClass::ALL {
            assert_eq!(class.name().parse(), Ok(*class));
            assert_eq!(class.after(true).is_person(), class.is_person());
        }
        assert_eq!("robot".parse::<ClickClass>(), Err(()));
    }

    #[test]
    fn a_person_is_human_once_and_a_program_keeps_its_class() {
        for (class, first, later, is_person) in [
            (Human, Human, Repeat, true),
            (Repeat, Human, Repeat, true),
            (Preview, Preview, Preview, false),
            (Prefetch, Prefetch, Prefetch, false),
            (Scanner, Scanner, Scanner, false),
        ] {
            assert_eq!(
                (class.after(false), class.after(true), class.is_person()),
                (first, later, is_person),
                "{class}"
            );
        }
    }
}
