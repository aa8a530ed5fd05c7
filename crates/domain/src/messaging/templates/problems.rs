//! All problems of a new template at once, for an editor that shows each beside its member.

use super::check::{BUTTONS, checked_footer, checked_header};
use super::naming::Naming;
use super::new::{NewTemplate, present};
use super::problem::{CheckResult, MemberProblem};
use super::{Category, buttons, cards};

impl NewTemplate {
    /// Empty exactly if `checked` accepts the template; otherwise the problem that `checked` returns is among them. The
    /// parts are checked one by one. A rule about several parts is checked when each of them is right.
    pub fn problems(&self, tracked_url: Option<&str>) -> Vec<MemberProblem> {
        let category = self.checked_category();
        let mut problems = Vec::new();
        problems.extend(self.checked_name().err());
        problems.extend(category.as_ref().err().cloned());
        problems.extend(self.checked_language().err());
        problems.extend(self.check_sub_category().err());
        let Ok(category) = category else { return problems };
        let of_parts = match category {
            Category::Authentication => self.beside_code(),
            Category::Marketing | Category::Utility => self.part_problems(category),
        };
        match self.checked_content(category) {
            Ok(content) => {
                problems.extend(buttons::check_type(self.buttons_type.as_deref(), &content).err());
                problems.extend(self.tracked(&content, tracked_url).err());
                problems.extend(self.sample_problems(&content));
            }
            Err(first) => {
                let is_listed = of_parts.contains(&first);
                problems.extend(of_parts);
                problems.extend(Some(first).filter(|_| !is_listed));
            }
        }
        problems
    }

    /// The problems of the parts of a template that is no one-time password.
    fn part_problems(&self, category: Category) -> Vec<MemberProblem> {
        fn problem<T>(checked: CheckResult<T>) -> Option<MemberProblem> {
            checked.err()
        }
        let body = self.checked_free_body();
        let mut naming = Naming::new(body.as_deref().unwrap_or_default());
        let mut problems = Vec::new();
        problems.extend(self.offer.as_ref().and_then(|offer| problem(self.checked_offer(offer, category))));
        problems.extend(problem(body));
        problems.extend(self.header.as_ref().and_then(|header| problem(checked_header(header, &mut naming))));
        problems.extend(present(self.footer.as_ref()).and_then(|footer| problem(checked_footer(footer))));
        problems.extend(BUTTONS.problems(&self.buttons, &mut naming));
        problems.extend(cards::problems(&self.cards));
        problems.extend(self.beside_cards());
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::super::new::{NewButton, NewCard, NewHeader, NewOffer};
    use super::*;
    use crate::people::contacts::CustomParam;

    #[expect(clippy::unnecessary_wraps, reason = "members are optional")]
    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn good() -> NewTemplate {
        NewTemplate {
            name: "order_update".into(),
            category: "utility".into(),
            language: "en_US".into(),
            body: text("Hi {{name}}, it is on its way."),
            samples: vec![CustomParam { name: "name".into(), value: "Ada".into() }],
            ..NewTemplate::default()
        }
    }

    fn paths(template: &NewTemplate) -> Vec<String> {
        let problems = template.problems(None);
        match template.checked(None) {
            Ok(_) => assert_eq!(problems, []),
            Err(first) => assert!(problems.contains(&first), "{first} is not among {problems:?}"),
        }
        problems.into_iter().map(|problem| problem.place.to_string()).collect()
    }

    fn button(kind: &str, caption: &str) -> NewButton {
        NewButton { kind: kind.into(), text: text(caption), ..NewButton::default() }
    }

    #[test]
    fn a_right_template_has_none() {
        assert!(paths(&good()).is_empty());
    }

    #[test]
    fn each_part_has_its_own() {
        let template = NewTemplate {
            name: "Order".into(),
            language: "xx".into(),
            header: Some(NewHeader { kind: "text".into(), ..NewHeader::default() }),
            body: text("{{1}}"),
            footer: text("{{x}}"),
            buttons: vec![button("url", "Open"), button("quick_reply", "Yes"), button("phone", "Call")],
            ..good()
        };
        let expected =
            ["name", "language", "body", "header.text", "footer", "buttons[0].parameter.url", "buttons[2].type"];
        assert_eq!(paths(&template), expected);
    }

    #[test]
    fn what_depends_on_several_parts_is_checked_when_they_are_right() {
        let mixed = vec![button("quick_reply", "A"), button("catalog", "B"), button("quick_reply", "C")];
        assert_eq!(paths(&NewTemplate { buttons: mixed, ..good() }), ["buttons"]);
        let samples = ["x", "y", ""].map(|name| CustomParam { name: name.into(), value: "1".into() });
        let wrong = NewTemplate { samples: samples.to_vec(), click_tracking: true, buttons_type: text("x"), ..good() };
        let expected = [
            "buttons_type",
            "click_tracking",
            "custom_params[0].name",
            "custom_params[1].name",
            "custom_params[2].name",
            "custom_params",
        ];
        assert_eq!(paths(&wrong), expected);
    }

    #[test]
    fn cards_and_one_time_passwords_name_every_part_beside_them() {
        let beside = NewTemplate {
            header: Some(NewHeader { kind: "location".into(), ..NewHeader::default() }),
            footer: text("x"),
            buttons: vec![button("quick_reply", "A")],
            offer: Some(NewOffer { text: "Now".into(), has_expiration: false }),
            cards: vec![NewCard::default(), NewCard::default()],
            ..good()
        };
        let expected = [
            "limited_time_offer",
            "carousel_cards[0].header",
            "carousel_cards[1].header",
            "header",
            "footer",
            "buttons",
            "limited_time_offer",
        ];
        assert_eq!(paths(&beside), expected);
        let code = NewTemplate { category: "AUTHENTICATION".into(), ..beside };
        assert_eq!(paths(&code), ["header", "footer", "carousel_cards", "limited_time_offer"]);
    }

    #[test]
    fn without_a_category_only_what_needs_none_is_checked() {
        let nothing = NewTemplate { category: "x".into(), name: String::new(), ..good() };
        assert_eq!(paths(&nothing), ["name", "category"]);
    }

    #[test]
    fn the_work_does_not_grow_with_the_lists_of_a_request() {
        let many =
            NewTemplate { buttons: vec![button("x", "A"); 5000], cards: vec![NewCard::default(); 5000], ..good() };
        assert!(many.problems(None).len() < 30);
    }
}
