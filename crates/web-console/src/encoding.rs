//! Content coding: which variant of a file a client takes (RFC 9110, section 12.5.3).

/// A content coding that the binary has files in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
}

/// Gzip if an `Accept-Encoding` header allows it and does not prefer the file as it is; otherwise the file as it is,
/// even if the header refuses that too.
pub fn negotiate(accept_encoding: Option<&str>) -> Encoding {
    let mut gzip = None;
    let mut identity = None;
    let mut others = None;
    for (coding, weight) in accept_encoding.unwrap_or_default().split(',').filter_map(weighted) {
        if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            gzip = Some(weight);
        } else if coding.eq_ignore_ascii_case("identity") {
            identity = Some(weight);
        } else if coding == "*" {
            others = Some(weight);
        }
    }
    let gzip = gzip.or(others).unwrap_or_default();
    // If the header does not name `identity`, it is allowed but not preferred to gzip.
    let identity = identity.unwrap_or_default();
    if gzip > 0 && gzip >= identity { Encoding::Gzip } else { Encoding::Identity }
}

/// Parses a coding and its weight in thousandths: `gzip;q=0.5` is ("gzip", 500). None if the weight is malformed or not
/// between 0 and 1.
fn weighted(element: &str) -> Option<(&str, u16)> {
    let mut parts = element.split(';').map(str::trim);
    let coding = parts.next().filter(|coding| !coding.is_empty())?;
    let Some(parameter) = parts.next() else { return Some((coding, 1000)) };
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    Some((coding, thousandths(value.trim())?))
}

/// Parses a weight: `0` or `1`, with up to three digits after the point.
fn thousandths(value: &str) -> Option<u16> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().ok()?;
    match (whole, fraction) {
        ("0", _) => Some(fraction),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_chosen_where_the_client_takes_it() {
        for header in [
            "gzip",
            "gzip, deflate, br, zstd",
            "br;q=1.0, gzip;q=0.8, *;q=0.1",
            "GZIP",
            "x-gzip",
            "*",
            " deflate ,, gzip ; q=0.001 ",
            "identity;q=0.5, gzip;q=0.5",
            "identity;q=0, *",
            "gzip;q=1.000",
        ] {
            assert_eq!(negotiate(Some(header)), Encoding::Gzip, "{header}");
        }
    }

    #[test]
    fn a_client_that_does_not_take_gzip_gets_the_file_as_it_is() {
        for header in [
            "",
            "identity",
            "br",
            "gzip;q=0",
            "gzip;q=0.000, *",
            "*;q=0",
            "identity, gzip;q=0.5",
            "gzip;q=2",
            "gzip;q=0.1234",
            "gzip;q=-1",
            "gzip;q=",
            "gzip;level=1",
            "gzipped",
            ";q=1",
        ] {
            assert_eq!(negotiate(Some(header)), Encoding::Identity, "{header}");
        }
        assert_eq!(negotiate(None), Encoding::Identity);
    }
}
