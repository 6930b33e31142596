//! Shared bytes: the bytes of a text in the memory in which a caller has them.

use std::fmt::{Debug, Formatter, Result};
use std::ops::Deref;
use std::sync::Arc;

/// Immutable bytes that several owners share, and that no conversion from a vector or from shared memory copies.
#[derive(Clone)]
pub struct SharedBytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl SharedBytes {
    /// Shares the bytes of `owner`, such as a mapped file. Every call of its `as_ref` must return the same bytes.
    pub fn of(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(owner))
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl Debug for SharedBytes {
    fn fmt(&self, formatter: &mut Formatter) -> Result {
        (**self).fmt(formatter)
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::of(bytes)
    }
}

impl From<Arc<[u8]>> for SharedBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::of(bytes)
    }
}

impl From<&[u8]> for SharedBytes {
    /// Copies `bytes`.
    fn from(bytes: &[u8]) -> Self {
        Self::of(bytes.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_shared_memory_are_not_copied() {
        let vector = vec![1u8, 2, 3];
        let at = vector.as_ptr();
        let shared = SharedBytes::from(vector);
        assert_eq!((shared.as_ptr(), shared.clone().as_ptr(), &*shared), (at, at, &[1, 2, 3][..]));
        let memory: Arc<[u8]> = [4, 5].into();
        assert_eq!(SharedBytes::from(memory.clone()).as_ptr(), memory.as_ptr());
    }
}
