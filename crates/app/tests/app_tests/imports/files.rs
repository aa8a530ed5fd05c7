//! Files that are refused before any row is applied.

use testkit::World;

use crate::imports::world::{Imports as _, people};

const ROW: &str = "14155552671,Ada\n";

testkit::both_databases! {
    async fn files_that_are_no_contacts_are_refused(world = World::new) {
        let utf16: Vec<u8> = "phone\n1".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (text, expected) in [
            (Vec::new(), "file: the file is empty"),
            (b" \n\n".to_vec(), "the file is empty"),
            (ROW.as_bytes().to_vec(), "row 1: the header must name the columns, one of them phone"),
            (format!("name,city\n{ROW}").into_bytes(), "row 1: the header must name the columns, one of them phone"),
            (format!("phone;name\n{ROW}").into_bytes(), "row 1: the header must name the columns, one of them phone"),
            (format!("phone,city,x,city\n{ROW}").into_bytes(), "row 1: columns 2 (city) and 4 (city) stand for the same field"),
            (format!("phone,mobile\n{ROW}").into_bytes(), "row 1: columns 1 (phone) and 2 (mobile) stand for the same field"),
            (format!("phone,\"name\n{ROW}").into_bytes(), "row 1: the header has an unclosed quote in column 2"),
            (format!("phone,\n{ROW}").into_bytes(), "row 1: column 2 has no name"),
            (b"phone,st\xe4dt\n".to_vec(), "row 1: the header is not UTF-8 in column 2"),
            (format!("phone,{}\n", "x".repeat(2 << 20)).into_bytes(), "row 1: the header is longer than"),
            ([b"\xff\xfe".as_slice(), &utf16].concat(), "file: the file is UTF-16, not UTF-8"),
            ([b"\xff\xfe\0\0".as_slice(), &utf16].concat(), "file: the file is UTF-32, not UTF-8"),
            (b"\xfe\xff\0p".to_vec(), "file: the file is UTF-16, not UTF-8"),
            (utf16, "file: byte 2 of the file is NUL"),
            (format!("phone,name\n{ROW}14155552672,a\0b\n").into_bytes(), "file: byte 41 of the file is NUL"),
            (b"[{\"phone\":\"14155552671\"}]".to_vec(), "row 1: the file is a JSON array"),
        ] {
            let refusal = world.refusal(&text).await;
            assert!(refusal.starts_with(expected), "{refusal}");
        }
        assert!(world.contacts().await.is_empty());
    }

    async fn a_header_alone_and_a_byte_order_mark_are_accepted(world = World::new) {
        assert_eq!(world.import("phone\n").await.counts.rows, 0);
        assert_eq!(world.import(format!("\u{feff}{}", people(2))).await.counts.created, 2);
        assert_eq!(world.import("phone\r\n\r\n14155552671\r\n").await.counts.created, 1);
    }
}
