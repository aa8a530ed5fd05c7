//! TLS to PostgreSQL: the certificate must come from a trusted authority and carry the server's name.

use std::path::{Path, PathBuf};
use std::process::Command;

use store::{Db, Location, Statement};
use testkit::postgres::Postgres;

use super::{private_postgres, sql};
use crate::eventually;

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Makes an authority, and a certificate of it for the name `localhost` alone. Returns their folder.
fn certificates() -> PathBuf {
    let folder = testkit::database::fresh_folder();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch";
    openssl(&folder, &format!("req -x509 {key} -subj /CN=Authority -days 2 -keyout ca.key -out ca.pem"));
    openssl(&folder, &format!("req {key} -subj /CN=localhost -keyout server.key -out server.csr"));
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\n").unwrap();
    let sign = "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names";
    openssl(&folder, &format!("{sign} -out server.pem"));
    folder
}

/// Switches TLS on, and plain connections off.
async fn secure(postgres: &Postgres, folder: &Path) {
    let db = Db::open(&Location::Postgres { url: postgres.url(), connections: 2 }).unwrap();
    for (setting, name) in [("ssl_key_file", "server.key"), ("ssl_cert_file", "server.pem")] {
        let content = std::fs::read_to_string(folder.join(name)).unwrap();
        let file = postgres.write_private(name, &content).unwrap();
        sql(&db, &format!("ALTER SYSTEM SET {setting} = '{}'", file.display())).await;
    }
    sql(&db, "ALTER SYSTEM SET ssl = 'on'").await;
    let only = postgres.write_private("hba", "hostssl all all all scram-sha-256\n").unwrap();
    sql(&db, &format!("ALTER SYSTEM SET hba_file = '{}'", only.display())).await;
}

/// Whether the connection of a new pool is encrypted, or why there is none.
async fn encryption(url: &str) -> Result<bool, String> {
    let db =
        Db::open(&Location::Postgres { url: url.to_owned(), connections: 1 }).map_err(|error| error.to_string())?;
    let query = "SELECT 1 FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl";
    let row = db.row(&Statement::composed("test", query.to_owned()), &[], |_| Ok(())).await;
    row.map(|row| row.is_some()).map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_checked_with_its_authority_and_name() {
    let (mut postgres, folder) = (private_postgres(), certificates());
    secure(&postgres, &folder).await;
    postgres.stop();
    postgres.start_again().unwrap();
    let by_address = postgres.url();
    let by_name = by_address.replace("@127.0.0.1:", "@localhost:");
    let authority = folder.join("ca.pem").display().to_string();
    let trusted = format!("sslrootcert={authority}");
    eventually("the server answers", async || {
        (encryption(&format!("{by_name}?sslmode=verify-full&{trusted}")).await == Ok(true)).then_some(())
    })
    .await;
    assert_eq!(encryption(&format!("{by_name}?{trusted}")).await, Ok(true));
    for (url, why) in [
        (format!("{by_address}?sslmode=verify-full&{trusted}"), "certificate"),
        (format!("{by_name}?sslmode=verify-full"), "certificate"),
        (format!("{by_name}?sslmode=require"), "certificate"),
        (format!("{by_name}?sslmode=disable"), "pg_hba.conf"),
        (format!("{by_name}?sslmode=verify-full&sslrootcert={authority}.none"), "sslrootcert"),
    ] {
        let error = encryption(&url).await.unwrap_err();
        assert!(error.contains(why), "{url}: {error}");
    }
    let plain = private_postgres();
    let refused = encryption(&format!("{}?sslmode=verify-full&{trusted}", plain.url())).await;
    assert!(refused.is_err(), "a server without TLS was accepted");
    std::fs::remove_dir_all(folder).unwrap();
}
