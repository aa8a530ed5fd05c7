//! Checks a new template by the rules of the network, so that no template is submitted that the network would refuse.

use super::buttons::{self, Buttons};
use super::content::{Authentication, Content, Header, Media, MediaKind, Offer};
use super::media_checks::checked_media;
use super::naming::{HEADER_LINK, Naming};
use super::new::{CheckedTemplate, NewHeader, NewOffer, NewTemplate, present};
use super::problem::{CheckResult, MemberProblem, at_most, length, one_line};
use super::samples::SampleSource;
use super::text_checks::{checked_body, counted, no_variables, normalised};
use super::{Category, cards, languages, links, text};
use crate::Field;
use crate::people::contacts::CustomParam;

const MAX_NAME: usize = 512;
const MAX_HEADER: usize = 60;
const MAX_BODY: usize = 1024;
const MAX_OFFER_BODY: usize = 600;
const MAX_FOOTER: usize = 60;
const MAX_OFFER: usize = 16;
const MAX_SAMPLE: usize = 1024;
const MAX_SAMPLES: usize = 200;
pub(super) const BUTTONS: Buttons = Buttons { most: 10, card: None };
const TRACKING: Field = Field::ClickTracking;

impl NewTemplate {
    /// Checks a new template. `tracked_url` is the URL of tracked links, with `{{1}}` for the code; without it links
    /// cannot be tracked.
    pub fn checked(&self, tracked_url: Option<&str>) -> Result<CheckedTemplate, MemberProblem> {
        let name = self.checked_name()?;
        let category = self.checked_category()?;
        let language = self.checked_language()?;
        self.check_sub_category()?;
        let mut content = self.checked_content(category)?;
        content.sub_category = present(self.sub_category.as_ref()).map(str::to_owned);
        buttons::check_type(self.buttons_type.as_deref(), &content)?;
        content.tracked_url = self.tracked(&content, tracked_url)?;
        content.samples = self.checked_samples(&content)?;
        Ok(CheckedTemplate { name, language: language.to_owned(), category, content })
    }

    pub(super) fn checked_category(&self) -> CheckResult<Category> {
        let category = self.category.trim().to_ascii_uppercase().parse();
        category.map_err(|()| MemberProblem::new(Field::Category, "expected MARKETING, UTILITY or AUTHENTICATION"))
    }

    pub(super) fn checked_language(&self) -> CheckResult<&'static str> {
        let unknown = || {
            MemberProblem::new(
                Field::Language,
                format!("the network does not support the language {:?}", self.language),
            )
        };
        languages::code(&self.language).ok_or_else(unknown)
    }

    pub(super) fn check_sub_category(&self) -> CheckResult {
        let Some(sub_category) = &self.sub_category else { return Ok(()) };
        at_most(Field::SubCategory, sub_category, 64)?;
        one_line(Field::SubCategory, sub_category)
    }

    pub(super) fn checked_content(&self, category: Category) -> CheckResult<Content> {
        match category {
            Category::Authentication => self.one_time_password(),
            Category::Marketing | Category::Utility => self.free(category),
        }
    }

    pub(super) fn checked_name(&self) -> CheckResult<String> {
        length(Field::Name, &self.name, MAX_NAME)?;
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !self.name.bytes().all(fits) {
            return Err(MemberProblem::new(Field::Name, "expected lower-case letters, digits and _"));
        }
        Ok(self.name.clone())
    }

    fn free(&self, category: Category) -> CheckResult<Content> {
        let offer = self.offer.as_ref().map(|offer| self.checked_offer(offer, category)).transpose()?;
        let body = self.checked_free_body()?;
        let mut naming = Naming::new(&body);
        let header = self.header.as_ref().map(|header| checked_header(header, &mut naming)).transpose()?.flatten();
        let footer = present(self.footer.as_ref()).map(checked_footer).transpose()?;
        let buttons = BUTTONS.checked(&self.buttons, &mut naming)?;
        let cards = cards::checked(&self.cards)?;
        if let Some(problem) = self.beside_cards().into_iter().next() {
            return Err(problem);
        }
        if offer.is_some() && matches!(&header, Some(header) if !is_picture(header)) {
            return Err(MemberProblem::new(
                Field::Header.member(Field::Type),
                "must be image or video in a limited-time offer",
            ));
        }
        let content = Content { header, body, footer, buttons, cards, offer, ..Content::default() };
        one_way_of_naming(&content)?;
        Ok(content)
    }

    pub(super) fn checked_free_body(&self) -> CheckResult<String> {
        let most = if self.offer.is_some() { MAX_OFFER_BODY } else { MAX_BODY };
        let body = present(self.body.as_ref()).ok_or_else(|| MemberProblem::new(Field::Body, "is missing"))?;
        checked_body(&Field::Body.into(), body, most)
    }

    /// A carousel has a body above its cards and no other parts.
    pub(super) fn beside_cards(&self) -> Vec<MemberProblem> {
        let others = [
            (Field::Header, self.has_header()),
            (Field::Footer, present(self.footer.as_ref()).is_some()),
            (Field::Buttons, !self.buttons.is_empty()),
            (Field::LimitedTimeOffer, self.offer.is_some()),
        ];
        let beside = others.into_iter().filter(|(_, there)| *there && !self.cards.is_empty());
        beside.map(|(member, _)| MemberProblem::new(member, "cannot be combined with carousel_cards")).collect()
    }

    fn has_header(&self) -> bool {
        self.header.as_ref().is_some_and(|header| !header.kind.eq_ignore_ascii_case("none"))
    }

    /// Parts that a one-time password must not have: the network writes it.
    pub(super) fn beside_code(&self) -> Vec<MemberProblem> {
        let refused = [
            (Field::Header, self.has_header()),
            (Field::Footer, present(self.footer.as_ref()).is_some()),
            (Field::CarouselCards, !self.cards.is_empty()),
            (Field::LimitedTimeOffer, self.offer.is_some()),
            (TRACKING, self.click_tracking),
        ];
        let there = refused.into_iter().filter(|(_, there)| *there);
        there.map(|(member, _)| MemberProblem::new(member, "is not allowed in category AUTHENTICATION")).collect()
    }

    pub(super) fn checked_offer(&self, offer: &NewOffer, category: Category) -> CheckResult<Offer> {
        let place = &Field::LimitedTimeOffer.member(Field::Text);
        length(place, &offer.text, MAX_OFFER)?;
        one_line(place, &offer.text)?;
        no_variables(place, &offer.text)?;
        if category != Category::Marketing {
            return Err(MemberProblem::new(Field::LimitedTimeOffer, "is only allowed in category MARKETING"));
        }
        if present(self.footer.as_ref()).is_some() {
            return Err(MemberProblem::new(Field::Footer, "cannot be combined with limited_time_offer"));
        }
        Ok(Offer { text: offer.text.clone(), has_expiration: offer.has_expiration })
    }

    /// The network writes the text and adds one button. The body only names the parameter of the code.
    fn one_time_password(&self) -> CheckResult<Content> {
        if let Some(problem) = self.beside_code().into_iter().next() {
            return Err(problem);
        }
        if self.code_expiration_minutes.is_some_and(|minutes| !(1..=90).contains(&minutes)) {
            return Err(MemberProblem::new(Field::CodeExpirationMinutes, "expected 1 to 90"));
        }
        let variable = self.code_variable()?;
        let advice = if self.security_recommendation { " For your security, do not share this code." } else { "" };
        let expires = |minutes: i64| format!("This code expires in {minutes} minutes.");
        Ok(Content {
            body: format!("*{{{{{variable}}}}}* is your verification code.{advice}"),
            footer: self.code_expiration_minutes.map(expires),
            buttons: buttons::one_time_password(&self.buttons)?,
            authentication: Some(Authentication {
                security_recommendation: self.security_recommendation,
                code_expiration_minutes: self.code_expiration_minutes,
            }),
            ..Content::default()
        })
    }

    fn code_variable(&self) -> CheckResult<String> {
        let Some(body) = present(self.body.as_ref()) else { return Ok("1".to_owned()) };
        let names = text::distinct(body).map_err(|message| MemberProblem::new(Field::Body, message))?;
        match names.as_slice() {
            [one] => Ok((*one).to_owned()),
            _ => Err(MemberProblem::new(Field::Body, "must have one variable, the code, in category AUTHENTICATION")),
        }
    }

    pub(super) fn tracked(&self, content: &Content, tracked_url: Option<&str>) -> CheckResult<Option<String>> {
        if !self.click_tracking {
            return Ok(None);
        }
        let cards = content.cards.iter().flat_map(|card| &card.buttons);
        if !content.buttons.iter().chain(cards).any(|button| button.action.kind() == "url") {
            return Err(MemberProblem::new(TRACKING, "the template has no URL button to track"));
        }
        let Some(url) = tracked_url else {
            return Err(MemberProblem::new(TRACKING, "links can only be tracked if the server's public_url is set"));
        };
        Ok(Some(url.to_owned()))
    }

    fn checked_samples(&self, content: &Content) -> CheckResult<Vec<CustomParam>> {
        self.sample_problems(content).into_iter().next().map_or_else(|| Ok(self.samples.clone()), Err)
    }

    /// Each variable that needs a sample must have one; samples of other names are not allowed. The sample of a file
    /// must be a URL or a file of this server, that of a code a valid code.
    pub(super) fn sample_problems(&self, content: &Content) -> Vec<MemberProblem> {
        if self.samples.len() > MAX_SAMPLES {
            return vec![MemberProblem::new(
                Field::CustomParams,
                format!("{} entries, at most {MAX_SAMPLES}", self.samples.len()),
            )];
        }
        let asked = content.parameters();
        let known = |name: &str| asked.iter().any(|asked| asked.name == name);
        let indexes = 0..self.samples.len();
        let mut problems: Vec<MemberProblem> =
            indexes.filter_map(|index| self.check_sample(index, known).err()).collect();
        let needed = asked.iter().filter(|asked| asked.required && content.needs_sample(&asked.name));
        let missing = needed.filter(|asked| !self.samples.iter().any(|one| one.name == asked.name));
        problems.extend(
            missing.map(|asked| MemberProblem::new(Field::CustomParams, format!("no sample for {:?}", asked.name))),
        );
        if problems.is_empty() {
            problems.extend(self.link_problems(content));
            problems.extend(buttons::check_code_samples(&content.buttons, &self.samples).err());
        }
        problems
    }

    fn check_sample(&self, index: usize, known: impl Fn(&str) -> bool) -> CheckResult {
        let Some(sample) = self.samples.get(index) else { return Ok(()) };
        let member = |field: Field| Field::CustomParams.at(index).member(field);
        if !known(&sample.name) {
            return Err(MemberProblem::new(
                member(Field::Name),
                format!("the template has no variable {:?}", sample.name),
            ));
        }
        if self.samples.iter().take(index).any(|earlier| earlier.name == sample.name) {
            return Err(MemberProblem::new(member(Field::Name), format!("{:?} appears twice", sample.name)));
        }
        length(member(Field::Value), &sample.value, MAX_SAMPLE)?;
        one_line(member(Field::Value), &sample.value)
    }

    fn link_problems(&self, content: &Content) -> Vec<MemberProblem> {
        let files = content.cards.iter().map(|card| &card.header).chain(match &content.header {
            Some(Header::Media(media)) => Some(media),
            _ => None,
        });
        let check = |media: &Media| {
            let index = self.samples.iter().position(|sample| sample.name == media.parameter)?;
            let value = &self.samples.get(index)?.value;
            match SampleSource::from_text(value) {
                SampleSource::File(_) => None,
                SampleSource::Handle(_) | SampleSource::Address(_) => {
                    links::check_link(&Field::CustomParams.at(index).member(Field::Value), value).err()
                }
            }
        };
        files.filter_map(check).collect()
    }
}

impl Content {
    /// Locations and dates need no sample; a file may have been uploaded instead.
    fn needs_sample(&self, name: &str) -> bool {
        use super::parameters::{EXPIRATION, LATITUDE, LONGITUDE};
        let uploaded = |media: &Media| media.parameter == name && media.handle.is_some();
        let in_header = matches!(&self.header, Some(Header::Media(media)) if uploaded(media));
        let in_card = self.cards.iter().any(|card| uploaded(&card.header));
        self.authentication.is_none() && ![EXPIRATION, LATITUDE, LONGITUDE].contains(&name) && !in_header && !in_card
    }
}

const fn is_picture(header: &Header) -> bool {
    matches!(header, Header::Media(Media { kind: MediaKind::Image | MediaKind::Video, .. }))
}

pub(super) fn checked_header(header: &NewHeader, naming: &mut Naming) -> CheckResult<Option<Header>> {
    let kind = header.kind.trim().to_ascii_lowercase();
    match kind.as_str() {
        "none" | "" => Ok(None),
        "text" => checked_header_text(header, naming).map(Some),
        "location" => Ok(Some(Header::Location)),
        _ => {
            checked_media(&Field::Header.into(), header, HEADER_LINK.to_owned()).map(|media| Some(Header::Media(media)))
        }
    }
}

fn checked_header_text(header: &NewHeader, naming: &mut Naming) -> CheckResult<Header> {
    let place = &Field::Header.member(Field::Text);
    let text = present(header.text.as_ref()).ok_or_else(|| MemberProblem::new(place, "is missing"))?;
    let text = normalised(place, text)?;
    at_most(place, &text, MAX_HEADER)?;
    one_line(place, &text)?;
    let variables = text::variables(&text).unwrap_or_default();
    if variables.len() > 1 {
        return Err(MemberProblem::new(place, format!("{} variables, at most 1", variables.len())));
    }
    counted(place, &text)?;
    let chosen = present(header.parameter.as_ref()).map(str::to_owned);
    let parameter = variables.first().map(|variable| chosen.unwrap_or_else(|| naming.header(variable)));
    Ok(Header::Text { parameter, text })
}

pub(super) fn checked_footer(footer: &str) -> CheckResult<String> {
    at_most(Field::Footer, footer, MAX_FOOTER)?;
    one_line(Field::Footer, footer)?;
    no_variables(Field::Footer, footer)?;
    Ok(footer.to_owned())
}

/// All texts of a template use numbers, or all use names.
fn one_way_of_naming(content: &Content) -> CheckResult {
    let is_named = |text: &str| text::variables(text).unwrap_or_default().first().map(|name| !text::is_number(name));
    let mut known = is_named(&content.body);
    let header = match &content.header {
        Some(Header::Text { text, .. }) => Some((Field::Header.member(Field::Text), text.as_str())),
        _ => None,
    };
    let cards = content.cards.iter().enumerate();
    let place = |i| Field::CarouselCards.at(i).member(Field::Body);
    let cards = cards.filter_map(|(i, card)| Some((place(i), card.body.as_deref()?)));
    for (place, text) in header.into_iter().chain(cards) {
        match (known, is_named(text)) {
            (Some(one), Some(other)) if one != other => {
                return Err(MemberProblem::new(
                    place,
                    "must use the same kind of variables as the other texts: names or numbers",
                ));
            }
            (None, kind) => known = kind,
            _ => {}
        }
    }
    Ok(())
}
