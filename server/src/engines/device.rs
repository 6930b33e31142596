//! Devices of an engine (the processor or a GPU) and their load. All GPUs of a host are devices of one engine, and each
//! run uses one of them (`PooledDevice`, [`DeviceLease`]).

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernels::plan::EngineName;

use super::ComputeEngine;

/// Time for which a lost device is not used, before it is tried again.
pub(super) const DEVICE_RETRY_DELAY: Duration = Duration::from_secs(60);

/// Load that a brief run adds to its device. A new run gets the device with the smallest load.
const BRIEF_RUN_LOAD: u64 = 1;

/// Load that a run adds to its device if it is not brief.
const LARGE_RUN_LOAD: u64 = 1024;

/// The identity of a device: its engine and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceId {
    pub engine: EngineName,
    /// Number of the device within the engine, counted from 0.
    pub ordinal: usize,
}

/// A device of an [`EnginePool`](super::EnginePool), with its load.
#[derive(Debug)]
pub(super) struct PooledDevice {
    pub(super) id: DeviceId,
    pub(super) compute: Arc<dyn ComputeEngine>,
    /// Sum of the loads of the runs on this device: [`BRIEF_RUN_LOAD`] or [`LARGE_RUN_LOAD`] for each run.
    load: AtomicU64,
    /// Time at which the device was last taken out of use because it was lost, or `None` if it never was.
    rests_since: Mutex<Option<Instant>>,
}

impl PooledDevice {
    pub(super) fn new(id: DeviceId, compute: Arc<dyn ComputeEngine>) -> Arc<Self> {
        Arc::new(Self { id, compute, load: AtomicU64::new(0), rests_since: Mutex::new(None) })
    }

    /// Returns whether the device is out of use at the moment because it was lost.
    pub(super) fn is_suspended(&self) -> bool {
        self.rests_since().is_some_and(|since| since.elapsed() < DEVICE_RETRY_DELAY)
    }

    /// Takes the device out of use for [`DEVICE_RETRY_DELAY`] from now on.
    pub(super) fn suspend(&self) {
        *self.rests_since.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn rests_since(&self) -> Option<Instant> {
        *self.rests_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A device lent to one run. Dropping the lease removes the run's load from the device.
#[derive(Debug)]
pub struct DeviceLease {
    device: Arc<PooledDevice>,
    weight: u64,
}

impl DeviceLease {
    /// Lends the least loaded of `devices`. Lends a device that is out of use only if there is no other, and returns
    /// `None` if `devices` is empty. `brief` tells whether the run is brief. The caller must hold a lock, so that two
    /// runs do not choose at the same time.
    pub(super) fn least_loaded<'a>(devices: impl IntoIterator<Item = &'a Arc<PooledDevice>>, brief: bool) -> Option<Self> {
        let device =
            devices.into_iter().min_by_key(|device| (device.is_suspended(), device.load.load(Relaxed), device.id.ordinal))?.clone();
        let weight = if brief { BRIEF_RUN_LOAD } else { LARGE_RUN_LOAD };
        device.load.fetch_add(weight, Relaxed);
        Some(Self { device, weight })
    }

    pub fn id(&self) -> DeviceId {
        self.device.id
    }
}

impl Deref for DeviceLease {
    type Target = dyn ComputeEngine;

    fn deref(&self) -> &Self::Target {
        &*self.device.compute
    }
}

impl Drop for DeviceLease {
    fn drop(&mut self) {
        self.device.load.fetch_sub(self.weight, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use kernels::engine::{Cpu, Engine};

    use super::*;

    fn devices(count: usize) -> Vec<Arc<PooledDevice>> {
        let id = |ordinal| DeviceId { engine: EngineName::Cuda, ordinal };
        (0..count).map(|ordinal| PooledDevice::new(id(ordinal), Arc::new(Engine::Cpu(Cpu::SINGLE)))).collect()
    }

    #[test]
    fn runs_are_spread_over_devices_and_large_ones_are_separated() {
        let devices = devices(3);
        let lend = |brief| DeviceLease::least_loaded(&devices, brief).unwrap();
        let large = lend(false);
        let brief: Vec<DeviceLease> = (0..10).map(|_| lend(true)).collect();
        let on = |ordinal| brief.iter().filter(|lent| lent.id().ordinal == ordinal).count();
        assert_eq!((large.id().ordinal, on(0), on(1), on(2)), (0, 0, 5, 5));
        let others = [lend(false), lend(false)];
        assert_eq!([others[0].id().ordinal, others[1].id().ordinal], [1, 2]);
        drop(large);
        assert_eq!(lend(false).id().ordinal, 0, "the device was released");
    }

    #[test]
    fn resting_device_is_used_only_if_no_other_exists() {
        let devices = devices(2);
        devices[0].suspend();
        let lent: Vec<usize> = (0..3).map(|_| DeviceLease::least_loaded(&devices, false).unwrap()).map(|lent| lent.id().ordinal).collect();
        assert_eq!(lent, [1, 1, 1]);
        assert_eq!(DeviceLease::least_loaded(&devices[..1], false).unwrap().id().ordinal, 0);
        assert!(DeviceLease::least_loaded(&devices[..0], false).is_none());
    }
}
