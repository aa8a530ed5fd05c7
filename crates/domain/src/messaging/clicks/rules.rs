//! The rules that separate people from programs, as data. A change of a rule must increment `VERSION`;
//! `switchboard click rescore` then scores the stored hits again.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Match};

use super::class::ClickClass;
use super::request::Request;

/// Version of the rules below.
pub const VERSION: i64 = 1;

/// Headers by which browsers announce that no person sees the page yet.
const PURPOSES: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
const AHEAD: [&str; 2] = ["prefetch", "prerender"];

/// Marks of user agents, in lower case, with the class that each gives; the first that fits counts. An app fetches the
/// preview of a page under another agent than that of the browser in which it opens the page, so a mark must not fit
/// both.
const AGENTS: &[(Mark, ClickClass)] = &[
    // Previews of messengers and social networks. Some agents name several others for compatibility.
    (Mark::Begins("whatsapp/"), ClickClass::Preview),
    (Mark::Holds("facebookexternalhit"), ClickClass::Preview),
    (Mark::Holds("facebookcatalog"), ClickClass::Preview),
    (Mark::Holds("facebot"), ClickClass::Preview),
    (Mark::Holds("meta-external"), ClickClass::Preview),
    (Mark::Holds("twitterbot"), ClickClass::Preview),
    (Mark::Holds("telegrambot"), ClickClass::Preview),
    (Mark::Holds("discordbot"), ClickClass::Preview),
    (Mark::Holds("linkedinbot"), ClickClass::Preview),
    (Mark::Holds("slackbot"), ClickClass::Preview),
    (Mark::Holds("slack-imgproxy"), ClickClass::Preview),
    (Mark::Holds("skypeuripreview"), ClickClass::Preview),
    (Mark::Holds("microsoftpreview"), ClickClass::Preview),
    (Mark::Holds("bingpreview"), ClickClass::Preview),
    (Mark::Holds("google-safety"), ClickClass::Scanner),
    (Mark::Holds("snap url preview"), ClickClass::Preview),
    (Mark::Holds("kakaotalk-scrap"), ClickClass::Preview),
    (Mark::Holds("line-poker"), ClickClass::Preview),
    (Mark::Holds("vkshare"), ClickClass::Preview),
    (Mark::Holds("pinterestbot"), ClickClass::Preview),
    (Mark::Begins("pinterest/"), ClickClass::Preview),
    (Mark::Holds("redditbot"), ClickClass::Preview),
    (Mark::Holds("embedly"), ClickClass::Preview),
    (Mark::Holds("iframely"), ClickClass::Preview),
    (Mark::Begins("viber"), ClickClass::Preview),
    (Mark::Begins("mattermost"), ClickClass::Preview),
    (Mark::Holds("rocket.chat"), ClickClass::Preview),
    (Mark::Holds("outbrain"), ClickClass::Preview),
    (Mark::Holds("google-read-aloud"), ClickClass::Preview),
    (Mark::Holds("googleother"), ClickClass::Preview),
    (Mark::Holds("google-inspectiontool"), ClickClass::Preview),
    (Mark::Holds("mediapartners-google"), ClickClass::Preview),
    (Mark::Holds("feedfetcher"), ClickClass::Preview),
    (Mark::Holds("chatgpt-user"), ClickClass::Preview),
    (Mark::Holds("yahoo! slurp"), ClickClass::Preview),
    // Security scanners of mail and networks.
    (Mark::Holds("barracuda"), ClickClass::Scanner),
    (Mark::Holds("proofpoint"), ClickClass::Scanner),
    (Mark::Holds("mimecast"), ClickClass::Scanner),
    (Mark::Holds("safelinks"), ClickClass::Scanner),
    (Mark::Holds("microsoft-defender"), ClickClass::Scanner),
    (Mark::Holds("microsoft defender"), ClickClass::Scanner),
    (Mark::Holds("smartscreen"), ClickClass::Scanner),
    (Mark::Holds("microsoft office"), ClickClass::Scanner),
    (Mark::Holds("ms-office"), ClickClass::Scanner),
    (Mark::Holds("trendmicro"), ClickClass::Scanner),
    (Mark::Holds("trend micro"), ClickClass::Scanner),
    (Mark::Holds("symantec"), ClickClass::Scanner),
    (Mark::Holds("messagelabs"), ClickClass::Scanner),
    (Mark::Holds("bluecoat"), ClickClass::Scanner),
    (Mark::Holds("blue coat"), ClickClass::Scanner),
    (Mark::Holds("forcepoint"), ClickClass::Scanner),
    (Mark::Holds("websense"), ClickClass::Scanner),
    (Mark::Holds("fortiguard"), ClickClass::Scanner),
    (Mark::Holds("fortinet"), ClickClass::Scanner),
    (Mark::Holds("zscaler"), ClickClass::Scanner),
    (Mark::Holds("ironport"), ClickClass::Scanner),
    (Mark::Holds("umbrella"), ClickClass::Scanner),
    (Mark::Holds("sophos"), ClickClass::Scanner),
    (Mark::Holds("kaspersky"), ClickClass::Scanner),
    (Mark::Holds("bitdefender"), ClickClass::Scanner),
    (Mark::Holds("mcafee"), ClickClass::Scanner),
    (Mark::Holds("skyhigh"), ClickClass::Scanner),
    (Mark::Holds("fireeye"), ClickClass::Scanner),
    (Mark::Holds("trellix"), ClickClass::Scanner),
    (Mark::Holds("cloudmark"), ClickClass::Scanner),
    (Mark::Holds("checkpoint"), ClickClass::Scanner),
    (Mark::Holds("palo alto"), ClickClass::Scanner),
    (Mark::Holds("paloalto"), ClickClass::Scanner),
    (Mark::Holds("cortex-xpanse"), ClickClass::Scanner),
    (Mark::Holds("expanse"), ClickClass::Scanner),
    (Mark::Holds("netcraft"), ClickClass::Scanner),
    (Mark::Holds("phishtank"), ClickClass::Scanner),
    (Mark::Holds("urlscan"), ClickClass::Scanner),
    (Mark::Holds("virustotal"), ClickClass::Scanner),
    (Mark::Holds("censysinspect"), ClickClass::Scanner),
    (Mark::Holds("internetmeasurement"), ClickClass::Scanner),
    (Mark::Holds("shodan"), ClickClass::Scanner),
    (Mark::Holds("zgrab"), ClickClass::Scanner),
    (Mark::Holds("masscan"), ClickClass::Scanner),
    (Mark::Holds("nmap"), ClickClass::Scanner),
    (Mark::Holds("nikto"), ClickClass::Scanner),
    (Mark::Holds("nuclei"), ClickClass::Scanner),
    (Mark::Holds("scanner"), ClickClass::Scanner),
    (Mark::Holds("linkcheck"), ClickClass::Scanner),
    (Mark::Holds("link checker"), ClickClass::Scanner),
    (Mark::Holds("uptime"), ClickClass::Scanner),
    (Mark::Holds("monitor"), ClickClass::Scanner),
    // Browsers without a person.
    (Mark::Holds("headlesschrome"), ClickClass::Scanner),
    (Mark::Holds("phantomjs"), ClickClass::Scanner),
    (Mark::Holds("puppeteer"), ClickClass::Scanner),
    (Mark::Holds("playwright"), ClickClass::Scanner),
    (Mark::Holds("selenium"), ClickClass::Scanner),
    (Mark::Holds("cypress/"), ClickClass::Scanner),
    (Mark::Holds("splash"), ClickClass::Scanner),
    (Mark::Holds("lighthouse"), ClickClass::Scanner),
    (Mark::Holds("page speed"), ClickClass::Scanner),
    (Mark::Holds("gtmetrix"), ClickClass::Scanner),
    (Mark::Holds("ptst/"), ClickClass::Scanner),
    // Cubot makes phones: an agent with this name is not a robot.
    (Mark::Holds(" cubot"), ClickClass::Human),
    // Any other robot is taken for a program that lists pages.
    (Mark::Holds("bot/"), ClickClass::Preview),
    (Mark::Holds("bot;"), ClickClass::Preview),
    (Mark::Holds("bot)"), ClickClass::Preview),
    (Mark::Holds("bot "), ClickClass::Preview),
    (Mark::Holds("bot-"), ClickClass::Preview),
    (Mark::Ends("bot"), ClickClass::Preview),
    (Mark::Holds("robot"), ClickClass::Preview),
    (Mark::Holds("spider"), ClickClass::Preview),
    (Mark::Holds("crawl"), ClickClass::Preview),
    (Mark::Holds("preview"), ClickClass::Preview),
    (Mark::Holds("unfurl"), ClickClass::Preview),
    (Mark::Holds("linkexpand"), ClickClass::Preview),
    // An app on an Apple device that fetches without a browser, mostly for a preview.
    (Mark::Holds("cfnetwork/"), ClickClass::Preview),
];

#[derive(Debug, Clone, Copy)]
enum Mark {
    Begins(&'static str),
    Holds(&'static str),
    Ends(&'static str),
}

impl Mark {
    const fn text(self) -> &'static str {
        match self {
            Self::Begins(text) | Self::Holds(text) | Self::Ends(text) => text,
        }
    }

    /// True when the text was found at the position that the mark requires.
    fn fits(self, found: &Match, agent: &str) -> bool {
        match self {
            Self::Begins(_) => found.start() == 0,
            Self::Holds(_) => true,
            Self::Ends(_) => found.end() == agent.len(),
        }
    }
}

/// All marks in one automaton without regard to letter case: one pass over an agent finds them all.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let texts = AGENTS.iter().map(|(mark, _)| mark.text());
    // Cannot fail for this list; a test checks that.
    AhoCorasick::builder().ascii_case_insensitive(true).build(texts).ok()
});

/// The agent of every browser begins with one of these; any other is a tool.
const BROWSERS: [&str; 3] = ["mozilla/", "opera/", "ucweb/"];
/// The agent of every browser names one of these engines.
const ENGINES: [&str; 6] = ["applewebkit/", "gecko/", "presto/", "trident/", "opera/", "ucweb/"];

/// The class of a request without its history: never `Repeat`.
pub fn classify(request: &Request) -> ClickClass {
    if let Some(class) = announced(request) {
        return class;
    }
    let class = classify_agent(request.agent()).unwrap_or_else(|| classify_browser(request));
    // No person sees the answer to a HEAD.
    if request.is_head && class == ClickClass::Human { ClickClass::Scanner } else { class }
}

/// The class that the request announces in its headers.
fn announced(request: &Request) -> Option<ClickClass> {
    let purposes = PURPOSES.map(|name| request.header(name).to_ascii_lowercase());
    let holds = |word: &str| purposes.iter().any(|value| value.contains(word));
    if AHEAD.iter().any(|word| holds(word)) {
        return Some(ClickClass::Prefetch);
    }
    holds("preview").then_some(ClickClass::Preview)
}

fn classify_agent(agent: &str) -> Option<ClickClass> {
    let found = MARKS.as_ref()?.find_overlapping_iter(agent);
    let fitting = found.filter_map(|one| {
        let place = one.pattern().as_usize();
        AGENTS.get(place).filter(|(mark, _)| mark.fits(&one, agent)).map(|(_, class)| (place, *class))
    });
    fitting.min_by_key(|(place, _)| *place).map(|(_, class)| class)
}

/// The class of an agent without a mark: the browser of a person names a language and asks for a page.
fn classify_browser(request: &Request) -> ClickClass {
    let agent = request.agent().to_ascii_lowercase();
    let is_browser = BROWSERS.iter().any(|begin| agent.starts_with(begin));
    let has_engine = ENGINES.iter().any(|engine| agent.contains(engine));
    if !is_browser || !has_engine || request.header("accept-language").is_empty() {
        return ClickClass::Scanner;
    }
    match (request.header("sec-fetch-mode"), request.header("sec-fetch-dest")) {
        (_, "image") => ClickClass::Preview,
        ("" | "navigate", "" | "document" | "iframe" | "frame") => ClickClass::Human,
        _ => ClickClass::Scanner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mark_that_fits_counts_and_its_position_matters() {
        assert!(MARKS.is_some());
        for (agent, class) in [
            ("WhatsApp/2.24.20.89 A", Some(ClickClass::Preview)),
            ("Mozilla/5.0 (Linux; Android 14; wv) WhatsApp/2.24", None),
            ("Mozilla/5.0 (compatible; Google-Safety; +http://www.google.com/bot.html)", Some(ClickClass::Scanner)),
            ("SOMEBOT", Some(ClickClass::Preview)),
            ("Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20)", Some(ClickClass::Human)),
            ("Mozilla/5.0 (iPhone)", None),
            ("", None),
        ] {
            assert_eq!(classify_agent(agent), class, "{agent}");
        }
    }

    #[test]
    fn marks_are_written_as_they_are_compared() {
        for (mark, _) in AGENTS {
            let text = mark.text();
            assert!(!text.is_empty() && text == text.to_ascii_lowercase(), "{text}");
        }
    }

    const PHONE: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
                         Mobile Safari/537.36";

    fn class(method: &str, headers: &[(&str, &str)]) -> ClickClass {
        let get = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_bytes());
        classify(&Request::new(method, get))
    }

    #[test]
    fn every_mark_is_found_at_its_position() {
        for (mark, class) in AGENTS {
            let agent = match mark {
                Mark::Begins(text) => format!("{text}1.0"),
                Mark::Holds(text) => format!("xx{text}xx"),
                Mark::Ends(text) => format!("xx{text}"),
            };
            // An earlier mark may be part of a later one; then the earlier counts, and it has the same class.
            assert_eq!(classify_agent(&agent.to_uppercase()), Some(*class), "{agent}");
        }
        assert_eq!(classify_agent("x viberx"), None, "it does not begin with it");
        assert_eq!(classify_agent("somebotx"), None, "it does not end with it");
    }

    #[test]
    fn the_browser_of_a_person_names_an_engine_and_a_language() {
        let language = ("accept-language", "en");
        assert_eq!(class("GET", &[("user-agent", PHONE), language]), ClickClass::Human);
        assert_eq!(class("HEAD", &[("user-agent", PHONE), language]), ClickClass::Scanner, "no person sees the answer");
        assert_eq!(class("GET", &[("user-agent", PHONE)]), ClickClass::Scanner, "no language");
        assert_eq!(class("GET", &[("user-agent", "Mozilla/5.0 (X11)"), language]), ClickClass::Scanner, "no engine");
        assert_eq!(
            class("GET", &[("user-agent", "curl/8 AppleWebKit/537"), language]),
            ClickClass::Scanner,
            "no browser"
        );
        assert_eq!(class("GET", &[language]), ClickClass::Scanner);
        for agent in ["Opera/9.80 (J2ME) Presto/2.12", "UCWEB/2.0 (Java)", "MOZILLA/5.0 GECKO/20100101"] {
            assert_eq!(class("GET", &[("user-agent", agent), language]), ClickClass::Human, "{agent}");
        }
        assert_eq!(class("HEAD", &[("user-agent", "WhatsApp/2.24")]), ClickClass::Preview, "a preview stays one");
    }

    #[test]
    fn a_person_asks_for_a_page_and_not_for_a_part_of_one() {
        for (mode, dest, expected) in [
            ("", "", ClickClass::Human),
            ("navigate", "", ClickClass::Human),
            ("navigate", "document", ClickClass::Human),
            ("navigate", "iframe", ClickClass::Human),
            ("", "frame", ClickClass::Human),
            ("no-cors", "image", ClickClass::Preview),
            ("navigate", "image", ClickClass::Preview),
            ("navigate", "script", ClickClass::Scanner),
            ("cors", "document", ClickClass::Scanner),
            ("no-cors", "", ClickClass::Scanner),
        ] {
            let headers =
                [("user-agent", PHONE), ("accept-language", "en"), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)];
            assert_eq!(class("GET", &headers), expected, "{mode} {dest}");
        }
    }

    #[test]
    fn a_prefetch_is_announced_by_a_header() {
        for name in PURPOSES {
            let with = |value: &str| class("GET", &[("user-agent", PHONE), ("accept-language", "en"), (name, value)]);
            assert_eq!(with("prefetch;prerender"), ClickClass::Prefetch, "{name}");
            assert_eq!((with("Prefetch"), with("PRERENDER")), (ClickClass::Prefetch, ClickClass::Prefetch), "{name}");
            assert_eq!(with("preview"), ClickClass::Preview, "{name}");
            assert_eq!(with("other"), ClickClass::Human, "{name}");
        }
        let both = [("purpose", "preview"), ("sec-purpose", "prefetch")];
        assert_eq!(class("GET", &both), ClickClass::Prefetch);
    }
}
