//! Place: which bucket, and under which names in it, as `s3://bucket/prefix`. Where the server is and who asks stands in variables of the environment.

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

/// How often a request is made again that the server could not answer.
const RETRIES: usize = 3;

/// How long it is made again.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it may take to reach the server; how long the server may say nothing; how long an answer may take that is read as slowly as somebody's network is.
const TIMES: [(ClientConfigKey, &str); 3] =
    [(ClientConfigKey::ConnectTimeout, "5 s"), (ClientConfigKey::ReadTimeout, "30 s"), (ClientConfigKey::Timeout, "3600 s")];

/// Where files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    bucket: String,
    prefix: Path,
}

/// The text is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be a bucket, such as s3://bucket or s3://bucket/prefix")]
pub struct NoPlace;

impl Place {
    /// What all names begin with.
    pub(super) fn prefix(&self) -> Path {
        self.prefix.clone()
    }

    /// A client of the server, as the environment names it.
    ///
    /// # Errors
    /// When the environment has what cannot be used. Secrets are not repeated.
    pub(super) fn store(&self) -> io::Result<Arc<dyn ObjectStore>> {
        self.store_by(AmazonS3Builder::from_env())
    }

    pub(super) fn store_by(&self, mut builder: AmazonS3Builder) -> io::Result<Arc<dyn ObjectStore>> {
        crate::tls::provide();
        let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint].iter().find_map(|key| builder.get_config_value(key));
        if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
            builder = builder.with_allow_http(true);
        }
        for (key, time) in TIMES {
            builder = builder.with_config(AmazonS3ConfigKey::Client(key), time);
        }
        let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: PATIENCE };
        // Objects are removed one by one, which every server can do.
        let store = builder.with_bucket_name(&self.bucket).with_retry(retry).with_disable_bulk_delete(true).build();
        Ok(Arc::new(store.map_err(failed)?))
    }
}

impl FromStr for Place {
    type Err = NoPlace;

    fn from_str(url: &str) -> Result<Self, NoPlace> {
        let (bucket, prefix) = url.strip_prefix("s3://").map(|rest| rest.split_once('/').unwrap_or((rest, ""))).ok_or(NoPlace)?;
        let is_name = |letter: u8| letter.is_ascii_alphanumeric() || b".-_".contains(&letter);
        if bucket.is_empty() || !bucket.bytes().all(is_name) {
            return Err(NoPlace);
        }
        let prefix = Path::parse(prefix.trim_end_matches('/')).map_err(|_| NoPlace)?;
        Ok(Self { bucket: bucket.into(), prefix })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_root() { "" } else { "/" };
        write!(f, "s3://{}{slash}{}", self.bucket, self.prefix)
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_and_shown() {
        for (url, shown) in [("s3://b", "s3://b"), ("s3://b/", "s3://b"), ("s3://my.bucket/a/b/", "s3://my.bucket/a/b")] {
            assert_eq!(url.parse::<Place>().unwrap().to_string(), shown);
        }
        for wrong in ["", "b", "s3:/b", "s3://", "s3://user@b/x", "s3://b/a//b"] {
            assert_eq!(wrong.parse::<Place>(), Err(NoPlace), "{wrong}");
        }
    }
}
