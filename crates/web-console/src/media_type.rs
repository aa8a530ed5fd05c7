//! Media types by the extensions of file names. `nosniff` forbids browsers to guess, so each type has to be right.

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const UNKNOWN: &str = "application/octet-stream";

pub(crate) fn of(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => HTML,
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "wasm" => "application/wasm",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "txt" => TEXT,
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_follow_from_the_ending() {
        assert_eq!(of("assets/index-B1x_-k9Q.js"), "text/javascript; charset=utf-8");
        assert_eq!(of("index.html"), HTML);
        assert_eq!(of("assets/a.b/inter-12345678.woff2"), "font/woff2");
        assert_eq!(of("LICENSE"), UNKNOWN);
    }
}
