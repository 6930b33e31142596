//! Place: the address of a bucket and a name prefix, as `s3://bucket/prefix` ([`BucketAddress`]). The address of the
//! server and the credentials are environment variables.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use serde::{Serialize, Serializer};

use super::objects::failed;

/// Maximum number of retries of a request that the server could not answer.
const MAX_BUCKET_RETRIES: usize = 3;

/// Maximum time for all retries of a request.
const BUCKET_RETRY_TIMEOUT: Duration = Duration::from_secs(20);

/// Timeouts for connecting, for the time without data from the server, and for a whole answer. The timeout for a whole
/// answer is long, because an answer may be read at the speed of a client's network.
const BUCKET_TIMEOUTS: [(ClientConfigKey, &str); 3] =
    [(ClientConfigKey::ConnectTimeout, "5 s"), (ClientConfigKey::ReadTimeout, "30 s"), (ClientConfigKey::Timeout, "3600 s")];

/// The address of the bucket that stores files: its name, and the prefix of the objects' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketAddress {
    bucket: String,
    prefix: Path,
}

/// The error for a text that is not the address of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be a bucket, such as s3://bucket or s3://bucket/prefix")]
pub struct BucketAddressError;

impl BucketAddress {
    /// Returns the prefix of the names of all objects.
    pub(super) fn prefix(&self) -> Path {
        self.prefix.clone()
    }

    /// Creates a client of the server that the environment variables name.
    ///
    /// # Errors
    /// Returns an error if a variable is invalid. The error contains no secrets.
    pub(super) fn store(&self) -> io::Result<Arc<dyn ObjectStore>> {
        self.store_by(AmazonS3Builder::from_env())
    }

    pub(super) fn store_by(&self, mut builder: AmazonS3Builder) -> io::Result<Arc<dyn ObjectStore>> {
        crate::storage::tls::provide();
        let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint].iter().find_map(|key| builder.get_config_value(key));
        if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
            builder = builder.with_allow_http(true);
        }
        for (key, time) in BUCKET_TIMEOUTS {
            builder = builder.with_config(AmazonS3ConfigKey::Client(key), time);
        }
        let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: MAX_BUCKET_RETRIES, retry_timeout: BUCKET_RETRY_TIMEOUT };
        // Objects are removed one by one, because every server supports that.
        let store = builder.with_bucket_name(&self.bucket).with_retry(retry).with_disable_bulk_delete(true).build();
        Ok(Arc::new(store.map_err(failed)?))
    }
}

impl FromStr for BucketAddress {
    type Err = BucketAddressError;

    fn from_str(url: &str) -> Result<Self, BucketAddressError> {
        let (bucket, prefix) =
            url.strip_prefix("s3://").map(|rest| rest.split_once('/').unwrap_or((rest, ""))).ok_or(BucketAddressError)?;
        let is_name = |letter: u8| letter.is_ascii_alphanumeric() || b".-_".contains(&letter);
        if bucket.is_empty() || !bucket.bytes().all(is_name) {
            return Err(BucketAddressError);
        }
        let prefix = Path::parse(prefix.trim_end_matches('/')).map_err(|_| BucketAddressError)?;
        Ok(Self { bucket: bucket.into(), prefix })
    }
}

impl fmt::Display for BucketAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_root() { "" } else { "/" };
        write!(f, "s3://{}{slash}{}", self.bucket, self.prefix)
    }
}

impl Serialize for BucketAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_address_is_parsed_and_printed() {
        for (url, shown) in [("s3://b", "s3://b"), ("s3://b/", "s3://b"), ("s3://my.bucket/a/b/", "s3://my.bucket/a/b")] {
            assert_eq!(url.parse::<BucketAddress>().unwrap().to_string(), shown);
        }
        for wrong in ["", "b", "s3:/b", "s3://", "s3://user@b/x", "s3://b/a//b"] {
            assert_eq!(wrong.parse::<BucketAddress>(), Err(BucketAddressError), "{wrong}");
        }
    }
}
