//! Certificates for test services: a test authority and a certificate for this machine.

use std::fs;
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

/// The files of test certificates. They are removed on drop.
pub struct Certificates(TempDir);

impl Certificates {
    /// Creates certificates for `127.0.0.1` and `localhost`.
    pub fn generate() -> Self {
        let (own_key, server_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, "An authority of tests");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let roots = authority.self_signed(&own_key).unwrap();
        let server = CertificateParams::new(["127.0.0.1".to_owned(), "localhost".into()]).unwrap();
        let server = server.signed_by(&server_key, &Issuer::new(authority, own_key)).unwrap();
        let certificates = Self(tempfile::tempdir().unwrap());
        fs::write(certificates.roots(), roots.pem()).unwrap();
        fs::write(certificates.certificate(), server.pem()).unwrap();
        fs::write(certificates.key(), server_key.serialize_pem()).unwrap();
        certificates
    }

    /// Returns the path of the authority's certificate.
    pub fn roots(&self) -> PathBuf {
        self.0.path().join("roots.pem")
    }

    /// Returns the path of the server's certificate.
    pub fn certificate(&self) -> PathBuf {
        self.0.path().join("certificate.pem")
    }

    /// Returns the path of the server's private key.
    pub fn key(&self) -> PathBuf {
        self.0.path().join("key.pem")
    }
}
