//! Parses and checks host names and http(s) URLs in settings. Does not resolve names.

use std::net::{Ipv4Addr, Ipv6Addr};

pub(super) struct HttpUrl<'a> {
    pub secure: bool,
    pub host: &'a str,
    /// Everything after the authority: path, query and fragment.
    pub rest: &'a str,
}

impl HttpUrl<'_> {
    pub fn is_loopback(&self) -> bool {
        let v6 = self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
            || v6.is_some_and(|host| host.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback()))
    }
}

pub(super) fn parse_http_url(url: &str) -> Result<HttpUrl<'_>, &'static str> {
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("it contains white space");
    }
    let (scheme, rest) = url.split_once("://").ok_or("it does not start with http:// or https://")?;
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "http" => false,
        "https" => true,
        _ => return Err("its scheme is neither http nor https"),
    };
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err("it contains credentials");
    }
    Ok(HttpUrl { secure, host: host_of(authority)?, rest })
}

/// The host of `host[:port]`.
fn host_of(authority: &str) -> Result<&str, &'static str> {
    let after_host = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    let (host, port) = match authority[after_host..].find(':') {
        Some(colon) => (&authority[..after_host + colon], Some(&authority[after_host + colon + 1..])),
        None => (authority, None),
    };
    if !is_host(host) {
        return Err("its host is not a host name or address");
    }
    if port.is_some_and(|port| !port.parse().is_ok_and(|port: u16| port > 0)) {
        return Err("its port is not a number from 1 to 65535");
    }
    Ok(host)
}

/// A host name in ASCII, an IPv4 address, or an IPv6 address in brackets.
pub(super) fn is_host(host: &str) -> bool {
    if let Some(v6) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return v6.parse::<Ipv6Addr>().is_ok();
    }
    if !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    host.len() <= 253 && host.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
