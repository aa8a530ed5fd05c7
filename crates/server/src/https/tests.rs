use rcgen::{CertificateParams, KeyPair};

use super::certificate::{Certificate, CertificateError};
use super::*;
use crate::bootstrap::test_settings;

/// A certificate for this name that expires in 2040, and its key.
fn made(name: &str) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2010, 1, 1);
    params.not_after = rcgen::date_time_ymd(2040, 1, 1);
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

fn parse(certificate: &str, key: &str) -> Result<Certificate, CertificateError> {
    Certificate::from_pem(certificate.as_bytes(), key.as_bytes())
}

#[test]
fn a_certificate_says_when_it_expires_and_for_which_hosts_it_is() {
    let (certificate, key) = made("wa.example.com");
    let parsed = parse(&certificate, &key).unwrap();
    // The beginning of 2040, and a third of 10 957 days before.
    assert_eq!(parsed.expires_at, domain::Timestamp::from_seconds(2_208_988_800));
    assert_eq!(parsed.renews_at(), domain::Timestamp::from_seconds(1_893_427_200));
    assert!(parsed.is_for("wa.example.com"));
    assert!(!parsed.is_for("example.com") && !parsed.is_for("127.0.0.1") && !parsed.is_for(""));
    // Certificate and key in one text, as ACME stores them.
    let both = key + &certificate;
    assert!(parse(&both, &both).is_ok());
}

#[test]
fn what_cannot_be_used_is_named() {
    let (certificate, key) = made("wa.example.com");
    let (_, other_key) = made("wa.example.com");
    assert_eq!(parse("", &key).unwrap_err(), CertificateError::NoCertificate);
    assert_eq!(parse(&key, &key).unwrap_err(), CertificateError::NoCertificate);
    assert_eq!(parse(&certificate, "").unwrap_err(), CertificateError::NoKey);
    assert_eq!(parse(&certificate, &certificate).unwrap_err(), CertificateError::NoKey);
    assert_eq!(parse(&certificate, &other_key).unwrap_err(), CertificateError::Mismatch);
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(matches!(parse(broken, &key), Err(CertificateError::BrokenCertificate(_))));
    let broken = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    assert!(matches!(parse(&certificate, broken), Err(CertificateError::BrokenKey(_))));
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let all = test_settings(&testkit::database::fresh_folder());
    let refused = |change: &dyn Fn(&mut settings::Https)| {
        let mut https = all.https.clone();
        change(&mut https);
        source(&https).unwrap_err().to_string()
    };
    assert!(source(&all.https).unwrap().is_none());
    let listen = |https: &mut settings::Https| https.listen = Some("127.0.0.1:0".parse().unwrap());
    assert!(refused(&listen).starts_with("https.listen: HTTPS needs a certificate"));
    assert!(refused(&|https| https.key = Some("k".into())).starts_with("https.listen: a certificate is configured"));
    assert!(refused(&|https| https.redirect = true).starts_with("https.redirect: "));
    let with = |change: &dyn Fn(&mut settings::Https)| {
        refused(&|https| {
            listen(https);
            change(https);
        })
    };
    assert!(with(&|https| https.certificate = Some("c".into())).starts_with("https.key: "));
    assert!(with(&|https| https.key = Some("k".into())).starts_with("https.certificate: "));
    let name = || vec!["wa.example.com".to_owned()];
    let both = |https: &mut settings::Https| (https.acme_domains, https.key) = (name(), Some("k".into()));
    assert!(with(&both).starts_with("https.acme_domains: https.certificate or https.key is set too"));
    let address = |https: &mut settings::Https| https.acme_domains = vec!["192.0.2.1".to_owned()];
    assert!(with(&address).starts_with("https.acme_domains: 192.0.2.1 is an address"));
    let plain =
        |https: &mut settings::Https| (https.acme_domains, https.acme_directory) = (name(), "http://a".to_owned());
    assert!(with(&plain).starts_with("https.acme_directory: "));
}
