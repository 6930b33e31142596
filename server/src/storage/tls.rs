//! TLS: encrypted connections to other services. `ring` encrypts, like in the database client, and the machine's
//! certificate store decides about trust.

/// Installs the cryptography for all TLS clients of this process. It may be called repeatedly.
pub fn provide() {
    // An already installed provider is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
