//! TLS: encrypted connections to other services. What encrypts is `ring`, as the database's client has it; who is believed, the machine says.

/// Provides what encrypts to every client of this process that has no other. May be called any number of times.
pub fn provide() {
    // Where one is there already, that will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
