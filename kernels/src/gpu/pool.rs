//! Pool: GPU memory that stays mapped after a job has freed it, for later jobs. Mapping a few hundred megabytes takes a
//! millisecond, which is longer than a small job takes. Freed memory stays mapped, up to half of the GPU's memory.

use std::sync::Arc;

use cudarc::driver::sys::CUmemPool_attribute as Attribute;
use cudarc::driver::{CudaContext, DriverError, result, sys};

/// Divisor of the GPU's memory: at most 1 / `POOL_SHARE` of it stays mapped after it is freed.
const POOL_SHARE: u64 = 2;

/// The memory pool of a GPU, from which all of its streams allocate.
#[derive(Debug)]
pub(super) struct DeviceMemoryPool {
    /// The driver's handle of the pool, or `None` if the GPU has no pools. Without a pool, every allocation maps its
    /// own memory.
    pool: Option<sys::CUmemoryPool>,
}

// SAFETY: the driver's handle of a GPU's default pool lives as long as the GPU, and its functions may be called from
// any thread.
unsafe impl Send for DeviceMemoryPool {}
// SAFETY: the handle may be used from any thread, as for `Send`.
unsafe impl Sync for DeviceMemoryPool {}

impl DeviceMemoryPool {
    /// Returns the default pool of the GPU of `context`, configured to retain freed memory.
    pub(super) fn of(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        if !context.has_async_alloc() {
            return Ok(Self { pool: None });
        }
        context.bind_to_thread()?;
        // SAFETY: the GPU is the one that the context was opened on.
        let pool = unsafe { result::device::get_default_mem_pool(context.cu_device()) }?;
        let mut keep = context.total_mem()? as u64 / POOL_SHARE;
        // SAFETY: the attribute is a 64-bit number.
        unsafe { result::mem_pool::set_attribute(pool, Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, (&raw mut keep).cast()) }?;
        Ok(Self { pool: Some(pool) })
    }

    /// Returns unused memory to the device.
    #[cfg(test)]
    pub(super) fn give_back(&self) -> Result<(), DriverError> {
        // SAFETY: memory in use is not affected.
        self.pool.map_or(Ok(()), |pool| unsafe { result::mem_pool::trim_to(pool, 0) })
    }

    /// Returns the number of bytes that the pool retains and that no job uses.
    pub(super) fn idle_bytes(&self) -> Result<u64, DriverError> {
        let Some(pool) = self.pool else { return Ok(0) };
        let read = |attribute| -> Result<u64, DriverError> {
            let mut bytes = 0u64;
            // SAFETY: the attribute is a 64-bit number.
            unsafe { result::mem_pool::get_attribute(pool, attribute, (&raw mut bytes).cast()) }?;
            Ok(bytes)
        };
        let used = read(Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        Ok(read(Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?.saturating_sub(used))
    }
}
