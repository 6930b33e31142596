//! Stand-ins for the module `cluster` in a program without the feature `cluster`, whose processes belong to no cluster.

use std::sync::Arc;
use std::time::Duration;

use kernels::failure::JobFailure;
use kernels::plan::{JobPlan, JobWork};

use super::job_handle::JobHandle;
use super::{JobService, MessagePorts, NewJob};
use crate::config::Config;
use crate::error::ApiProblem;
use crate::storage::ports::NatsAddress;
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::offers::WorkerOffer;
use crate::storage::ports::queue::EngineBacklog;

/// The job queue and the worker offers of a cluster. The type has no values, because this program has no cluster.
#[derive(Clone, Copy, Debug)]
pub enum ClusterPorts {}

pub(super) type Cluster = ClusterPorts;

impl ClusterPorts {
    pub(super) fn new(ports: Self, _: &Config) -> Arc<Self> {
        match ports {}
    }

    pub(super) fn id(&self) -> &str {
        match *self {}
    }

    pub(super) async fn plan(&self, _: &JobWork, _: &[(ContentHash, u64)]) -> Result<Result<JobPlan, JobFailure>, ApiProblem> {
        match *self {}
    }

    pub(super) async fn start(self) {
        match self {}
    }

    pub async fn drain(&self, _: Duration) {
        match *self {}
    }

    pub(super) async fn withdraw(&self) {
        match *self {}
    }
}

impl MessagePorts {
    pub async fn connect(address: &NatsAddress, _: &Config) -> anyhow::Result<Self> {
        match *address {}
    }
}

impl JobService {
    pub fn cluster_member(&self) -> Option<ClusterPorts> {
        None
    }

    pub fn workers(&self) -> Vec<WorkerOffer> {
        Vec::new()
    }

    pub async fn backlogs(&self) -> anyhow::Result<Vec<EngineBacklog>> {
        Ok(Vec::new())
    }

    pub fn reaches_workers(&self) -> Result<(), ApiProblem> {
        Ok(())
    }

    pub(super) async fn submit_to_cluster(&self, cluster: &Cluster, _: NewJob) -> Result<Arc<JobHandle>, ApiProblem> {
        match *cluster {}
    }
}
