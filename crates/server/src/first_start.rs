//! Prints the credentials of a new installation once: address, log-in, token and an example request. Secrets go to
//! standard output, never to the log.

use std::io::Write as _;

use app::first_start::FirstStart;

/// Prints to standard output.
pub fn print(first: &FirstStart, url: &str, has_sandbox: bool) {
    let mut out = std::io::stdout().lock();
    if out.write_all(text(first, url, has_sandbox).as_bytes()).and_then(|()| out.flush()).is_err() {
        tracing::warn!(
            "the first log-in could not be printed: `switchboard account set-password` and `switchboard token create` \
             give new ones"
        );
    }
}

fn text(first: &FirstStart, url: &str, has_sandbox: bool) -> String {
    let sandbox = if has_sandbox { sandbox(first) } else { String::new() };
    let (tenant, email, password, token) = (first.tenant, first.email, &first.password, first.token.reveal());
    format!(
        "\nSwitchboard is ready. This is shown only once:\n\n\
         \x20 address   {url}\n\
         \x20 tenant    {tenant}\n\
         \x20 e-mail    {email}\n\
         \x20 password  {password}\n\
         \x20 token     {token}\n\n\
         Try it:\n\n\
         \x20 curl -H 'Authorization: Bearer {token}' '{url}/api/ext/v3/calls'\n\n{sandbox}"
    )
}

/// How to use the sandbox, which needs no account at a network.
fn sandbox(first: &FirstStart) -> String {
    format!(
        "A sandbox with simulated people is on. In another terminal, in this folder:\n\n\
         \x20 switchboard sandbox people --tenant {}\n\n",
        first.tenant
    )
}

#[cfg(test)]
mod tests {
    use domain::tokens::FreshToken;
    use domain::{Clock, TenantId};

    use super::*;
    use crate::bootstrap::{open, test_settings};
    use domain::Id;

    #[test]
    fn the_text_holds_what_is_needed_and_a_curl_line() {
        let now = Clock::system().now();
        let token = FreshToken::generate(TenantId::FIRST, Id::new(now));
        let first =
            FirstStart { tenant: TenantId::FIRST, email: "admin@localhost", password: "p4ssw0rd".to_owned(), token };
        let without = text(&first, "http://127.0.0.1:8080", false);
        assert!(!without.contains("sandbox"), "{without}");
        let text = text(&first, "http://127.0.0.1:8080", true);
        assert!(text.contains("\n  switchboard sandbox people --tenant 100001\n"), "{text}");
        let value = first.token.reveal();
        let curl = format!("curl -H 'Authorization: Bearer {value}' 'http://127.0.0.1:8080/api/ext/v3/calls'\n");
        assert!(text.contains(&curl) && text.contains("p4ssw0rd\n") && text.contains("admin@localhost\n"), "{text}");
        assert!(!format!("{first:?}").contains(value) && !format!("{first:?}").contains("p4ssw0rd"));
    }

    #[tokio::test]
    async fn only_an_empty_database_gets_a_first_tenant_and_only_once() {
        let settings = test_settings(&testkit::database::fresh_folder());
        let opened = open(&settings, Clock::system()).await.unwrap();
        let another = open(&settings, Clock::system()).await.unwrap();
        let (one, two) = tokio::join!(opened.app.first_start(), another.app.first_start());
        let made: Vec<FirstStart> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        assert_eq!(made.len(), 1);
        assert!(opened.app.first_start().await.unwrap().is_none());

        let tenants = opened.app.tenants().list().await.unwrap();
        assert_eq!(tenants.iter().map(|tenant| tenant.id.to_string()).collect::<Vec<_>>(), ["100001"]);
        assert_eq!(opened.app.accounts().list(TenantId::FIRST).await.unwrap().len(), 1);
        assert_eq!(opened.app.tokens().list(TenantId::FIRST).await.unwrap().len(), 1);
        let from = std::net::IpAddr::from([127, 0, 0, 1]);
        let who = opened.app.accounts().log_in(made[0].email, &made[0].password, from).await.unwrap();
        assert_eq!(who.unwrap().0, TenantId::FIRST);
        let caller = opened.app.authenticate(made[0].token.reveal(), from).await.unwrap();
        assert_eq!(caller.tenant(), TenantId::FIRST);
    }
}
