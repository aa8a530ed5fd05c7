//! The rules that tell people from machines, as data. Whoever changes one counts `VERSION` up; history is then scored
//! again by `switchboard clicks rescore`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Match};

use super::{Class, Request};

/// Of the rules below.
pub const VERSION: i64 = 1;

/// Headers in which browsers say that nobody is looking yet.
const PURPOSES: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
const AHEAD: [&str; 2] = ["prefetch", "prerender"];

/// What an agent holds, in lower case, and what it then is. The first that fits counts. Apps show a page to a person
/// in a browser of their own and fetch its preview under another name, so their two names stand near each other.
const AGENTS: &[(Mark, Class)] = &[
    // Previews of messengers and networks. Some name several others for the sake of sites that ask for them.
    (Mark::Begins("whatsapp/"), Class::Preview),
    (Mark::Holds("facebookexternalhit"), Class::Preview),
    (Mark::Holds("facebookcatalog"), Class::Preview),
    (Mark::Holds("facebot"), Class::Preview),
    (Mark::Holds("meta-external"), Class::Preview),
    (Mark::Holds("twitterbot"), Class::Preview),
    (Mark::Holds("telegrambot"), Class::Preview),
    (Mark::Holds("discordbot"), Class::Preview),
    (Mark::Holds("linkedinbot"), Class::Preview),
    (Mark::Holds("slackbot"), Class::Preview),
    (Mark::Holds("slack-imgproxy"), Class::Preview),
    (Mark::Holds("skypeuripreview"), Class::Preview),
    (Mark::Holds("microsoftpreview"), Class::Preview),
    (Mark::Holds("bingpreview"), Class::Preview),
    (Mark::Holds("google-safety"), Class::Scanner),
    (Mark::Holds("snap url preview"), Class::Preview),
    (Mark::Holds("kakaotalk-scrap"), Class::Preview),
    (Mark::Holds("line-poker"), Class::Preview),
    (Mark::Holds("vkshare"), Class::Preview),
    (Mark::Holds("pinterestbot"), Class::Preview),
    (Mark::Begins("pinterest/"), Class::Preview),
    (Mark::Holds("redditbot"), Class::Preview),
    (Mark::Holds("embedly"), Class::Preview),
    (Mark::Holds("iframely"), Class::Preview),
    (Mark::Begins("viber"), Class::Preview),
    (Mark::Begins("mattermost"), Class::Preview),
    (Mark::Holds("rocket.chat"), Class::Preview),
    (Mark::Holds("outbrain"), Class::Preview),
    (Mark::Holds("google-read-aloud"), Class::Preview),
    (Mark::Holds("googleother"), Class::Preview),
    (Mark::Holds("google-inspectiontool"), Class::Preview),
    (Mark::Holds("mediapartners-google"), Class::Preview),
    (Mark::Holds("feedfetcher"), Class::Preview),
    (Mark::Holds("chatgpt-user"), Class::Preview),
    (Mark::Holds("yahoo! slurp"), Class::Preview),
    // What guards mailboxes and networks.
    (Mark::Holds("barracuda"), Class::Scanner),
    (Mark::Holds("proofpoint"), Class::Scanner),
    (Mark::Holds("mimecast"), Class::Scanner),
    (Mark::Holds("safelinks"), Class::Scanner),
    (Mark::Holds("microsoft-defender"), Class::Scanner),
    (Mark::Holds("microsoft defender"), Class::Scanner),
    (Mark::Holds("smartscreen"), Class::Scanner),
    (Mark::Holds("microsoft office"), Class::Scanner),
    (Mark::Holds("ms-office"), Class::Scanner),
    (Mark::Holds("trendmicro"), Class::Scanner),
    (Mark::Holds("trend micro"), Class::Scanner),
    (Mark::Holds("symantec"), Class::Scanner),
    (Mark::Holds("messagelabs"), Class::Scanner),
    (Mark::Holds("bluecoat"), Class::Scanner),
    (Mark::Holds("blue coat"), Class::Scanner),
    (Mark::Holds("forcepoint"), Class::Scanner),
    (Mark::Holds("websense"), Class::Scanner),
    (Mark::Holds("fortiguard"), Class::Scanner),
    (Mark::Holds("fortinet"), Class::Scanner),
    (Mark::Holds("zscaler"), Class::Scanner),
    (Mark::Holds("ironport"), Class::Scanner),
    (Mark::Holds("umbrella"), Class::Scanner),
    (Mark::Holds("sophos"), Class::Scanner),
    (Mark::Holds("kaspersky"), Class::Scanner),
    (Mark::Holds("bitdefender"), Class::Scanner),
    (Mark::Holds("mcafee"), Class::Scanner),
    (Mark::Holds("skyhigh"), Class::Scanner),
    (Mark::Holds("fireeye"), Class::Scanner),
    (Mark::Holds("trellix"), Class::Scanner),
    (Mark::Holds("cloudmark"), Class::Scanner),
    (Mark::Holds("checkpoint"), Class::Scanner),
    (Mark::Holds("palo alto"), Class::Scanner),
    (Mark::Holds("paloalto"), Class::Scanner),
    (Mark::Holds("cortex-xpanse"), Class::Scanner),
    (Mark::Holds("expanse"), Class::Scanner),
    (Mark::Holds("netcraft"), Class::Scanner),
    (Mark::Holds("phishtank"), Class::Scanner),
    (Mark::Holds("urlscan"), Class::Scanner),
    (Mark::Holds("virustotal"), Class::Scanner),
    (Mark::Holds("censysinspect"), Class::Scanner),
    (Mark::Holds("internetmeasurement"), Class::Scanner),
    (Mark::Holds("shodan"), Class::Scanner),
    (Mark::Holds("zgrab"), Class::Scanner),
    (Mark::Holds("masscan"), Class::Scanner),
    (Mark::Holds("nmap"), Class::Scanner),
    (Mark::Holds("nikto"), Class::Scanner),
    (Mark::Holds("nuclei"), Class::Scanner),
    (Mark::Holds("scanner"), Class::Scanner),
    (Mark::Holds("linkcheck"), Class::Scanner),
    (Mark::Holds("link checker"), Class::Scanner),
    (Mark::Holds("uptime"), Class::Scanner),
    (Mark::Holds("monitor"), Class::Scanner),
    // Browsers that nobody looks at.
    (Mark::Holds("headlesschrome"), Class::Scanner),
    (Mark::Holds("phantomjs"), Class::Scanner),
    (Mark::Holds("puppeteer"), Class::Scanner),
    (Mark::Holds("playwright"), Class::Scanner),
    (Mark::Holds("selenium"), Class::Scanner),
    (Mark::Holds("cypress/"), Class::Scanner),
    (Mark::Holds("splash"), Class::Scanner),
    (Mark::Holds("lighthouse"), Class::Scanner),
    (Mark::Holds("page speed"), Class::Scanner),
    (Mark::Holds("gtmetrix"), Class::Scanner),
    (Mark::Holds("ptst/"), Class::Scanner),
    // A phone whose maker is called so.
    (Mark::Holds(" cubot"), Class::Human),
    // Whoever calls itself a robot and was not named above lists pages.
    (Mark::Holds("bot/"), Class::Preview),
    (Mark::Holds("bot;"), Class::Preview),
    (Mark::Holds("bot)"), Class::Preview),
    (Mark::Holds("bot "), Class::Preview),
    (Mark::Holds("bot-"), Class::Preview),
    (Mark::Ends("bot"), Class::Preview),
    (Mark::Holds("robot"), Class::Preview),
    (Mark::Holds("spider"), Class::Preview),
    (Mark::Holds("crawl"), Class::Preview),
    (Mark::Holds("preview"), Class::Preview),
    (Mark::Holds("unfurl"), Class::Preview),
    (Mark::Holds("linkexpand"), Class::Preview),
    // An app of a phone of Apple's that fetches by itself, mostly for a preview.
    (Mark::Holds("cfnetwork/"), Class::Preview),
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

    /// Is its text, found there, what it means?
    fn fits(self, found: &Match, agent: &str) -> bool {
        match self {
            Self::Begins(_) => found.start() == 0,
            Self::Holds(_) => true,
            Self::Ends(_) => found.end() == agent.len(),
        }
    }
}

/// All marks at once, in whatever letter case: an agent is gone through once and not once for each.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let texts = AGENTS.iter().map(|(mark, _)| mark.text());
    // A hundred short texts: this cannot fail, and a test would notice.
    AhoCorasick::builder().ascii_case_insensitive(true).build(texts).ok()
});

/// How the agent of every browser begins; whatever begins otherwise is a tool.
const BROWSERS: [&str; 3] = ["mozilla/", "opera/", "ucweb/"];
/// What draws the pages of a browser; whoever names none only looks like one.
const ENGINES: [&str; 6] = ["applewebkit/", "gecko/", "presto/", "trident/", "opera/", "ucweb/"];

pub(super) fn classify(request: &Request) -> Class {
    if let Some(class) = announced(request) {
        return class;
    }
    let class = of_agent(request.agent()).unwrap_or_else(|| of_browser(request));
    // Nobody sees the answer to a HEAD.
    if request.is_head && class == Class::Human { Class::Scanner } else { class }
}

/// What the request says of itself.
fn announced(request: &Request) -> Option<Class> {
    let said = PURPOSES.map(|name| request.header(name).to_ascii_lowercase());
    let holds = |word: &str| said.iter().any(|value| value.contains(word));
    if AHEAD.iter().any(|word| holds(word)) {
        return Some(Class::Prefetch);
    }
    holds("preview").then_some(Class::Preview)
}

fn of_agent(agent: &str) -> Option<Class> {
    let found = MARKS.as_ref()?.find_overlapping_iter(agent);
    let fitting = found.filter_map(|one| {
        let place = one.pattern().as_usize();
        AGENTS.get(place).filter(|(mark, _)| mark.fits(&one, agent)).map(|(_, class)| (place, *class))
    });
    fitting.min_by_key(|(place, _)| *place).map(|(_, class)| class)
}

/// Of an agent that names nobody: a browser that a person holds says which language it wants and asks for a page.
fn of_browser(request: &Request) -> Class {
    let agent = request.agent().to_ascii_lowercase();
    let is_browser = BROWSERS.iter().any(|begin| agent.starts_with(begin));
    let has_engine = ENGINES.iter().any(|engine| agent.contains(engine));
    if !is_browser || !has_engine || request.header("accept-language").is_empty() {
        return Class::Scanner;
    }
    match (request.header("sec-fetch-mode"), request.header("sec-fetch-dest")) {
        (_, "image") => Class::Preview,
        ("" | "navigate", "" | "document" | "iframe" | "frame") => Class::Human,
        _ => Class::Scanner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mark_that_fits_counts_and_its_place_matters() {
        assert!(MARKS.is_some());
        for (agent, class) in [
            ("WhatsApp/2.24.20.89 A", Some(Class::Preview)),
            ("Mozilla/5.0 (Linux; Android 14; wv) WhatsApp/2.24", None),
            ("Mozilla/5.0 (compatible; Google-Safety; +http://www.google.com/bot.html)", Some(Class::Scanner)),
            ("SOMEBOT", Some(Class::Preview)),
            ("Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20)", Some(Class::Human)),
            ("Mozilla/5.0 (iPhone)", None),
            ("", None),
        ] {
            assert_eq!(of_agent(agent), class, "{agent}");
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

    fn class(method: &str, headers: &[(&str, &str)]) -> Class {
        let get = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_bytes());
        classify(&Request::new(method, get))
    }

    #[test]
    fn every_mark_is_found_where_it_means_something() {
        for (mark, class) in AGENTS {
            let agent = match mark {
                Mark::Begins(text) => format!("{text}1.0"),
                Mark::Holds(text) => format!("xx{text}xx"),
                Mark::Ends(text) => format!("xx{text}"),
            };
            // An earlier mark may be part of a later one; then the earlier counts, and it has the same class.
            assert_eq!(of_agent(&agent.to_uppercase()), Some(*class), "{agent}");
        }
        assert_eq!(of_agent("x viberx"), None, "it does not begin with it");
        assert_eq!(of_agent("somebotx"), None, "it does not end with it");
    }

    #[test]
    fn a_browser_in_a_hand_names_an_engine_and_a_language() {
        let language = ("accept-language", "en");
        assert_eq!(class("GET", &[("user-agent", PHONE), language]), Class::Human);
        assert_eq!(class("HEAD", &[("user-agent", PHONE), language]), Class::Scanner, "nobody sees the answer");
        assert_eq!(class("GET", &[("user-agent", PHONE)]), Class::Scanner, "no language");
        assert_eq!(class("GET", &[("user-agent", "Mozilla/5.0 (X11)"), language]), Class::Scanner, "no engine");
        assert_eq!(class("GET", &[("user-agent", "curl/8 AppleWebKit/537"), language]), Class::Scanner, "no browser");
        assert_eq!(class("GET", &[language]), Class::Scanner);
        for agent in ["Opera/9.80 (J2ME) Presto/2.12", "UCWEB/2.0 (Java)", "MOZILLA/5.0 GECKO/20100101"] {
            assert_eq!(class("GET", &[("user-agent", agent), language]), Class::Human, "{agent}");
        }
        assert_eq!(class("HEAD", &[("user-agent", "WhatsApp/2.24")]), Class::Preview, "a preview stays one");
    }

    #[test]
    fn a_person_asks_for_a_page_and_not_for_a_part_of_one() {
        for (mode, dest, expected) in [
            ("", "", Class::Human),
            ("navigate", "", Class::Human),
            ("navigate", "document", Class::Human),
            ("navigate", "iframe", Class::Human),
            ("", "frame", Class::Human),
            ("no-cors", "image", Class::Preview),
            ("navigate", "image", Class::Preview),
            ("navigate", "script", Class::Scanner),
            ("cors", "document", Class::Scanner),
            ("no-cors", "", Class::Scanner),
        ] {
            let headers =
                [("user-agent", PHONE), ("accept-language", "en"), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)];
            assert_eq!(class("GET", &headers), expected, "{mode} {dest}");
        }
    }

    #[test]
    fn whoever_fetches_ahead_says_so() {
        for name in PURPOSES {
            let with = |value: &str| class("GET", &[("user-agent", PHONE), ("accept-language", "en"), (name, value)]);
            assert_eq!(with("prefetch;prerender"), Class::Prefetch, "{name}");
            assert_eq!((with("Prefetch"), with("PRERENDER")), (Class::Prefetch, Class::Prefetch), "{name}");
            assert_eq!(with("preview"), Class::Preview, "{name}");
            assert_eq!(with("other"), Class::Human, "{name}");
        }
        let both = [("purpose", "preview"), ("sec-purpose", "prefetch")];
        assert_eq!(class("GET", &both), Class::Prefetch);
    }
}
