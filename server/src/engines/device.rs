//! Device: one of those that an engine computes with, and what runs on it. A host's GPUs are several devices of one engine, and each run has one of them.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernels::plan::EngineName;

use super::Compute;

/// A device that is gone is asked again after this long: somebody may have brought it back.
pub(super) const REST: Duration = Duration::from_secs(60);

/// What a run weighs when the next one looks for a device: brief ones leave room beside them, others do not.
const BRIEF: u64 = 1;
const LARGE: u64 = 1024;

/// Which device of which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceId {
    /// The engine.
    pub engine: EngineName,
    /// The number of the device among those of its engine, from 0.
    pub ordinal: usize,
}

/// A device.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) id: DeviceId,
    pub(super) compute: Arc<dyn Compute>,
    /// What its runs weigh.
    load: AtomicU64,
    /// Since when it is not used, because it was gone.
    rests_since: Mutex<Option<Instant>>,
}

impl Device {
    pub(super) fn new(id: DeviceId, compute: Arc<dyn Compute>) -> Arc<Self> {
        Arc::new(Self { id, compute, load: AtomicU64::new(0), rests_since: Mutex::new(None) })
    }

    /// Whether it is not used now.
    pub(super) fn rests(&self) -> bool {
        self.rests_since().is_some_and(|since| since.elapsed() < REST)
    }

    /// Lets it rest from now on.
    pub(super) fn rest(&self) {
        *self.rests_since.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn rests_since(&self) -> Option<Instant> {
        *self.rests_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A device, lent to one run, which gives it back when it drops this.
#[derive(Debug)]
pub struct Lent {
    device: Arc<Device>,
    weight: u64,
}

impl Lent {
    /// Of these devices the one that has the least to do; one that works, if there is any. Nobody else chooses meanwhile.
    pub(super) fn of<'a>(devices: impl IntoIterator<Item = &'a Arc<Device>>, brief: bool) -> Option<Self> {
        let device = devices.into_iter().min_by_key(|device| (device.rests(), device.load.load(Relaxed), device.id.ordinal))?.clone();
        let weight = if brief { BRIEF } else { LARGE };
        device.load.fetch_add(weight, Relaxed);
        Some(Self { device, weight })
    }

    /// Which one.
    pub fn id(&self) -> DeviceId {
        self.device.id
    }
}

impl Deref for Lent {
    type Target = dyn Compute;

    fn deref(&self) -> &Self::Target {
        &*self.device.compute
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.device.load.fetch_sub(self.weight, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use kernels::engine::{Cpu, Engine};

    use super::*;

    fn devices(count: usize) -> Vec<Arc<Device>> {
        let id = |ordinal| DeviceId { engine: EngineName::Cuda, ordinal };
        (0..count).map(|ordinal| Device::new(id(ordinal), Arc::new(Engine::Cpu(Cpu::SINGLE)))).collect()
    }

    #[test]
    fn runs_are_spread_over_devices_and_large_ones_are_not_put_together() {
        let devices = devices(3);
        let lend = |brief| Lent::of(&devices, brief).unwrap();
        let large = lend(false);
        let brief: Vec<Lent> = (0..10).map(|_| lend(true)).collect();
        let on = |ordinal| brief.iter().filter(|lent| lent.id().ordinal == ordinal).count();
        assert_eq!((large.id().ordinal, on(0), on(1), on(2)), (0, 0, 5, 5));
        let others = [lend(false), lend(false)];
        assert_eq!([others[0].id().ordinal, others[1].id().ordinal], [1, 2]);
        drop(large);
        assert_eq!(lend(false).id().ordinal, 0, "it was given back");
    }

    #[test]
    fn one_that_rests_is_used_where_no_other_is() {
        let devices = devices(2);
        devices[0].rest();
        let lent: Vec<usize> = (0..3).map(|_| Lent::of(&devices, false).unwrap()).map(|lent| lent.id().ordinal).collect();
        assert_eq!(lent, [1, 1, 1]);
        assert_eq!(Lent::of(&devices[..1], false).unwrap().id().ordinal, 0);
        assert!(Lent::of(&devices[..0], false).is_none());
    }
}
