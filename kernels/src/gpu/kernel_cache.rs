//! Kernel cache: compiled kernel files in memory and on disk. Each is compiled once for each set of constants, on a
//! separate thread, so that a job that waits for it can be stopped. Results are stored on disk for the next start.
//!
//! A file on disk ends with the length and a checksum of its machine code. A file with a wrong length or checksum, for
//! example after a power loss, is deleted and its kernel compiled again. The same happens to a file that the driver
//! refuses to load ([`discard`](KernelCache::discard)).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use super::GpuError;
use super::compile::{self, ComputeCapability, KernelSource};
use crate::run::{Halt, Run};

/// Interval at which a job that waits for a compilation checks whether its run was stopped.
const COMPILE_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The cache of machine code for one GPU architecture. Several threads may use it at the same time.
///
/// Dropping the cache waits for compilations in progress, which take up to two seconds. If the process exited during
/// one, NVRTC's exit handlers would free memory that is in use and abort with a corrupt heap.
#[derive(Debug)]
pub(super) struct KernelCache {
    shared: Arc<KernelCacheState>,
    compilers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct KernelCacheState {
    arch: ComputeCapability,
    cache: Option<PathBuf>,
    compilations: Mutex<HashMap<String, CompileState>>,
    /// Names of machine code in the cache that the driver has refused to load once.
    discarded: Mutex<HashSet<String>>,
    /// Notified when a compilation has ended.
    done: Condvar,
    /// Whether the cache is being dropped, so that no further compilation may begin.
    closed: AtomicBool,
}

/// The state of a kernel file that was requested: under way while it is compiled, then done with the result.
#[derive(Clone, Debug)]
enum CompileState {
    UnderWay,
    Done(Result<Arc<[u8]>, GpuError>),
}

impl KernelCache {
    /// Creates a cache for GPUs of `arch`. Stores compiled kernels in the folder `cache`, or only in memory if it is
    /// `None`.
    pub(super) fn new(arch: ComputeCapability, cache: Option<PathBuf>) -> Self {
        let (orders, discarded, done, closed) = (Mutex::default(), Mutex::default(), Condvar::new(), AtomicBool::new(false));
        Self {
            shared: Arc::new(KernelCacheState { arch, cache, compilations: orders, discarded, done, closed }),
            compilers: Mutex::default(),
        }
    }

    /// Returns the name under which the machine code of `source` is cached.
    pub(super) fn key(&self, source: &KernelSource) -> String {
        source.key(self.shared.arch)
    }

    /// Returns the machine code of the kernel file `source`, from the cache or newly compiled. Compiling takes from
    /// some tenths of a second up to two seconds.
    ///
    /// # Errors
    /// Returns `Compile` if compilation fails, and `Stopped` if the observer stops the run while this function waits.
    /// The compilation then goes on.
    pub(super) fn code(&self, source: &KernelSource, run: &Run) -> Result<Arc<[u8]>, Halt> {
        let key = self.key(source);
        let mut orders = self.shared.lock_compilations();
        if !matches!(orders.get(&key), Some(CompileState::UnderWay | CompileState::Done(Ok(_)))) {
            if let Some(code) = self.shared.read_cached(&key) {
                return Ok(code);
            }
            orders.insert(key.clone(), CompileState::UnderWay);
            drop(orders);
            let (compilation, source) = (KernelCompilation { shared: self.shared.clone(), key: key.clone() }, source.clone());
            // If no thread can be started, dropping the compilation reports an error to waiting jobs.
            self.spawn(move || compilation.make(&source));
            orders = self.shared.lock_compilations();
        }
        loop {
            match orders.get(&key) {
                Some(CompileState::Done(done)) => return Ok(done.clone()?),
                Some(CompileState::UnderWay) => {}
                // The result has been written to the disk cache.
                None => return self.shared.read_cached(&key).ok_or_else(|| unfinished_compile_error(&key).into()),
            }
            (orders, _) = self.shared.done.wait_timeout(orders, COMPILE_POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            run.tick(0)?;
        }
    }

    /// Deletes the machine code of `source`, which the driver has refused to load, so that the source is compiled
    /// again. Returns whether another attempt makes sense: not if the code is only in memory, if it was discarded
    /// before, or if its file cannot be deleted.
    pub(super) fn discard(&self, source: &KernelSource) -> bool {
        let key = self.key(source);
        let Some(file) = self.shared.file(&key) else { return false };
        let mut orders = self.shared.lock_compilations();
        if !self.shared.discarded().insert(key.clone()) || orders.contains_key(&key) {
            return false;
        }
        orders.remove(&key);
        // If the file cannot be deleted, it cannot be rewritten either, and the second attempt fails like the first.
        std::fs::remove_file(file).is_ok()
    }

    /// Compiles the kernel files in `sources` that the cache lacks, in order, on `threads` threads. Returns
    /// immediately. Does nothing without a folder, because keeping all kernels in memory is not worthwhile.
    pub(super) fn precompile(&self, sources: impl IntoIterator<Item = KernelSource>, threads: usize) {
        if self.shared.cache.is_none() {
            return;
        }
        let left: Arc<Mutex<VecDeque<KernelSource>>> = Arc::new(Mutex::new(sources.into_iter().collect()));
        for _ in 0..threads {
            let (shared, left) = (self.shared.clone(), left.clone());
            let work = move || {
                while !shared.closed.load(Relaxed) {
                    let next = left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(source) = next else { break };
                    let key = source.key(shared.arch);
                    if shared.is_kept(&key) {
                        continue;
                    }
                    let begun = match shared.lock_compilations().entry(key.clone()) {
                        Entry::Vacant(place) => {
                            place.insert(CompileState::UnderWay);
                            true
                        }
                        Entry::Occupied(_) => false,
                    };
                    if begun {
                        KernelCompilation { shared: shared.clone(), key }.make(&source);
                    }
                }
            };
            // With fewer threads this takes longer. Without any thread, jobs compile the kernels that they need.
            self.spawn(work);
        }
    }

    /// Starts a thread that calls `work`, if the system allows another thread.
    fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        let mut compilers = self.compilers.lock().unwrap_or_else(PoisonError::into_inner);
        compilers.retain(|compiler| !compiler.is_finished());
        compilers.extend(thread::Builder::new().name("compile".into()).spawn(work));
    }
}

impl Drop for KernelCache {
    fn drop(&mut self) {
        self.shared.closed.store(true, Relaxed);
        for compiler in self.compilers.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // A thread that panicked has already reported its panic.
            let _ = compiler.join();
        }
    }
}

impl KernelCacheState {
    fn lock_compilations(&self) -> MutexGuard<'_, HashMap<String, CompileState>> {
        // Each critical section is a single insertion or removal, so a panic leaves no partial change.
        self.compilations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn discarded(&self) -> MutexGuard<'_, HashSet<String>> {
        self.discarded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, key: &str) -> Option<PathBuf> {
        self.cache.as_ref().map(|folder| folder.join(format!("{key}.cubin")))
    }

    fn is_kept(&self, key: &str) -> bool {
        self.read_cached(key).is_some()
    }

    fn read_cached(&self, key: &str) -> Option<Arc<[u8]>> {
        let file = self.file(key)?;
        let bytes = std::fs::read(&file).ok()?;
        let code = unsealed(&bytes);
        if code.is_none() {
            // The file is written again whether or not it can be deleted.
            let _ = std::fs::remove_file(file);
        }
        code.map(Arc::from)
    }
}

/// The compilation of one kernel file. Dropping it wakes all jobs that wait for the result, whether the compilation has
/// succeeded or not.
struct KernelCompilation {
    shared: Arc<KernelCacheState>,
    key: String,
}

impl KernelCompilation {
    fn make(self, source: &KernelSource) {
        let made = compile::machine_code(source, self.shared.arch);
        let file = self.shared.file(&self.key);
        // If the cache folder cannot be written, the next start compiles again.
        let kept = file.zip(made.as_ref().ok()).is_some_and(|(file, code)| compile::write_atomically(&file, &sealed(code)).is_ok());
        let mut orders = self.shared.lock_compilations();
        if kept {
            orders.remove(&self.key);
        } else {
            orders.insert(self.key.clone(), CompileState::Done(made.map(Arc::from)));
        }
    }
}

impl Drop for KernelCompilation {
    fn drop(&mut self) {
        let mut orders = self.shared.lock_compilations();
        if let Some(order @ CompileState::UnderWay) = orders.get_mut(&self.key) {
            *order = CompileState::Done(Err(unfinished_compile_error(&self.key)));
        }
        drop(orders);
        self.shared.done.notify_all();
    }
}

/// Number of bytes after the machine code in a file: 8 for its length and 8 for its checksum.
const SEAL_BYTES: usize = 16;

/// Returns the contents of a file with machine code: the code, its length and its checksum.
fn sealed(code: &[u8]) -> Vec<u8> {
    let seal = [(code.len() as u64).to_le_bytes(), xxh3_64(code).to_le_bytes()].concat();
    [code, &seal].concat()
}

/// Returns the machine code in the contents of a file, or `None` if its length or checksum does not match.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let code = &bytes[..bytes.len().checked_sub(SEAL_BYTES)?];
    (sealed(code) == bytes).then_some(code)
}

fn unfinished_compile_error(key: &str) -> GpuError {
    GpuError::Compile { name: key.to_owned(), log: "the compiler did not come to an end".into() }
}

#[cfg(test)]
mod tests;
