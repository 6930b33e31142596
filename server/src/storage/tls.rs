//! TLS: the function [`provide`] prepares encrypted connections to other services. `ring` encrypts, as in the database
//! client, and the machine's certificate store decides which servers are trusted.

/// Installs the cryptography provider for all TLS clients of this process. May be called repeatedly.
pub fn provide() {
    // An already installed provider is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
