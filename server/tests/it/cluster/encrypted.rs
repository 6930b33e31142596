//! A cluster whose database, bucket and NATS servers accept only encrypted connections.

use std::path::Path;

use reqwest::{Certificate, Client};
use serde_json::json;
use services::{Certificates, Nats, PASSWORD, Postgres, S3};

use crate::client::typed;
use crate::hosts::{Services, until_ready};
use crate::restart::Program;

use super::{large_job, rest};

const KEY: &str = "key-of-the-bucket";

/// Creates a bucket over an encrypted connection.
async fn make_bucket(s3: &str, name: &str, roots: &Path) {
    server::storage::tls::provide();
    let authority = Certificate::from_pem(&std::fs::read(roots).unwrap()).unwrap();
    let client = Client::builder().tls_certs_only([authority]).build().unwrap();
    assert_eq!(client.put(format!("{s3}/{name}")).send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_services_can_be_encrypted_and_certificates_are_verified() {
    let certificates = Certificates::generate();
    let (postgres, s3, nats) = (Postgres::encrypted(&certificates), S3::encrypted(&certificates), Nats::encrypted(&certificates));
    let (Some(postgres), Some(s3), Some(nats)) = (postgres, s3, nats) else { return };
    let s3 = format!("https://127.0.0.1:{}", s3.port);
    make_bucket(&s3, "secret", &certificates.roots()).await;
    let (database, address) = (format!("{}?sslmode=verify-full", postgres.database()), nats.address());
    let roots = certificates.roots();
    let variables = [
        ("EDITSCOPE_DATABASE", database.as_str()),
        ("EDITSCOPE_FILES", "s3://secret/site"),
        ("EDITSCOPE_NATS", &address),
        ("AWS_ENDPOINT_URL", &s3),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "someone"),
        ("AWS_SECRET_ACCESS_KEY", KEY),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut known = variables.to_vec();
    known.push(("SSL_CERT_FILE", roots.to_str().unwrap()));
    let program = Program::with(folder.path(), &known);
    until_ready(&program).await;
    assert_eq!(program.web.solve(&typed("kitten", "sitting")).await["answer"]["distance"], 3);
    let (job, distance) = large_job(&program.web).await;
    let id = program.web.submit(&job).await;
    let heard = rest(program.web.events(&format!("/api/v1/jobs/{id}/events")).await).await;
    assert_eq!(heard.last().unwrap().data["distance"], json!(distance), "{heard:?}");

    // Each service alone is refused if the machine does not trust its certificate authority.
    let Some(open) = Services::start("vouched") else { return };
    let mut of_nats = open.variables("s3://vouched/site");
    of_nats.push(("EDITSCOPE_NATS", &address));
    let only = |name| variables.into_iter().filter(|(own, _)| *own == name || own.starts_with("AWS_")).collect::<Vec<_>>();
    for variables in [only("EDITSCOPE_DATABASE"), only("EDITSCOPE_FILES"), of_nats] {
        let folder = tempfile::tempdir().unwrap();
        let said = Program::refused(folder.path(), &variables);
        assert!(said.to_lowercase().contains("certificate"), "{said}");
        assert!(!said.contains(PASSWORD) && !said.contains(KEY), "{said}");
    }
}
