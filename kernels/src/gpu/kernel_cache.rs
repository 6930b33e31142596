//! Kernel cache: machine code of kernels. Each variant is made once, on a thread of its own, so that a job which waits for it can be
//! stopped meanwhile; compiled kernels are kept on disk for the next start.
//!
//! A file ends with the length and a checksum of the machine code before it. One that does not, after a power loss say, is deleted
//! and made again; so is one that the driver refuses to load ([`discard`](KernelCache::discard)).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use super::GpuError;
use super::compile::{self, Arch, KernelSource};
use crate::run::{Halt, Run};

/// How often a job that waits asks whether it shall go on.
const LOOK: Duration = Duration::from_millis(10);

/// Makes machine code for devices of one kind. Any thread may ask it, several at once. Dropping it waits for the compilations that are
/// under way, up to two seconds: a process that ended beside one would run NVRTC's exit handlers, which free what it is using, and
/// abort because of a corrupt heap.
#[derive(Debug)]
pub(super) struct KernelCache {
    shared: Arc<Shared>,
    compilers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    arch: Arch,
    cache: Option<PathBuf>,
    orders: Mutex<HashMap<String, Order>>,
    /// Keys of what the driver has refused once.
    discarded: Mutex<HashSet<String>>,
    done: Condvar,
    /// Whether nobody needs any more what is not begun yet.
    closed: AtomicBool,
}

/// A variant that was asked for, by its key.
#[derive(Clone, Debug)]
enum Order {
    UnderWay,
    Done(Result<Arc<[u8]>, GpuError>),
}

impl KernelCache {
    /// One for devices of `arch`, that keeps what it makes in the folder `cache`, or nowhere.
    pub(super) fn new(arch: Arch, cache: Option<PathBuf>) -> Self {
        let (orders, discarded, done, closed) = (Mutex::default(), Mutex::default(), Condvar::new(), AtomicBool::new(false));
        Self { shared: Arc::new(Shared { arch, cache, orders, discarded, done, closed }), compilers: Mutex::default() }
    }

    /// Name of a variant's machine code.
    pub(super) fn key(&self, source: &KernelSource) -> String {
        source.key(self.shared.arch)
    }

    /// The machine code of a variant: from the cache, or made now, which takes some tenths of a second and up to two seconds.
    ///
    /// # Errors
    /// `Compile` when the compiler refuses; `Stopped` when the observer breaks off while it waits. What was begun is finished in any case.
    pub(super) fn code(&self, source: &KernelSource, run: &Run) -> Result<Arc<[u8]>, Halt> {
        let key = self.key(source);
        let mut orders = self.shared.orders();
        if !matches!(orders.get(&key), Some(Order::UnderWay | Order::Done(Ok(_)))) {
            if let Some(code) = self.shared.kept(&key) {
                return Ok(code);
            }
            orders.insert(key.clone(), Order::UnderWay);
            drop(orders);
            let (compilation, source) = (Compilation { shared: self.shared.clone(), key: key.clone() }, source.clone());
            // Without a thread the compilation is dropped, and says so.
            self.spawn(move || compilation.make(&source));
            orders = self.shared.orders();
        }
        loop {
            match orders.get(&key) {
                Some(Order::Done(done)) => return Ok(done.clone()?),
                Some(Order::UnderWay) => {}
                // It is in the cache now.
                None => return self.shared.kept(&key).ok_or_else(|| lost(&key).into()),
            }
            (orders, _) = self.shared.done.wait_timeout(orders, LOOK).unwrap_or_else(PoisonError::into_inner);
            run.tick(0)?;
        }
    }

    /// Forgets a variant's machine code, which the driver has refused, so that it is made again. Whether there is anything to gain:
    /// not where it was made by this process, or was discarded once before.
    pub(super) fn discard(&self, source: &KernelSource) -> bool {
        let key = self.key(source);
        let Some(file) = self.shared.file(&key) else { return false };
        let mut orders = self.shared.orders();
        if !self.shared.discarded().insert(key.clone()) || orders.contains_key(&key) {
            return false;
        }
        orders.remove(&key);
        // One that cannot be deleted is not written anew either: then the second attempt fails like the first.
        std::fs::remove_file(file).is_ok()
    }

    /// Makes all of these that are not in the cache yet, the first ones first, on so many threads. Returns at once; without a cache it
    /// does nothing, since the memory that all of them take is not worth it.
    pub(super) fn fill(&self, sources: impl IntoIterator<Item = KernelSource>, threads: usize) {
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
                    let begun = match shared.orders().entry(key.clone()) {
                        Entry::Vacant(place) => {
                            place.insert(Order::UnderWay);
                            true
                        }
                        Entry::Occupied(_) => false,
                    };
                    if begun {
                        Compilation { shared: shared.clone(), key }.make(&source);
                    }
                }
            };
            // With fewer threads it takes longer; without any, jobs make what they need.
            self.spawn(work);
        }
    }

    /// Begins a thread that compiles, if there is one to be had.
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
            // One that has panicked has said so.
            let _ = compiler.join();
        }
    }
}

impl Shared {
    fn orders(&self) -> MutexGuard<'_, HashMap<String, Order>> {
        // Everything under this lock is one insert or remove.
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn discarded(&self) -> MutexGuard<'_, HashSet<String>> {
        self.discarded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, key: &str) -> Option<PathBuf> {
        self.cache.as_ref().map(|folder| folder.join(format!("{key}.cubin")))
    }

    fn is_kept(&self, key: &str) -> bool {
        self.kept(key).is_some()
    }

    fn kept(&self, key: &str) -> Option<Arc<[u8]>> {
        let file = self.file(key)?;
        let bytes = std::fs::read(&file).ok()?;
        let code = unsealed(&bytes);
        if code.is_none() {
            // It is written anew whether it can be deleted or not.
            let _ = std::fs::remove_file(file);
        }
        code.map(Arc::from)
    }
}

/// Makes one variant. However that ends, nobody waits for it any longer.
struct Compilation {
    shared: Arc<Shared>,
    key: String,
}

impl Compilation {
    fn make(self, source: &KernelSource) {
        let made = compile::machine_code(source, self.shared.arch);
        let file = self.shared.file(&self.key);
        // A cache that cannot be written costs another compilation at the next start, no more.
        let kept = file.zip(made.as_ref().ok()).is_some_and(|(file, code)| compile::keep(&file, &sealed(code)).is_ok());
        let mut orders = self.shared.orders();
        if kept {
            orders.remove(&self.key);
        } else {
            orders.insert(self.key.clone(), Order::Done(made.map(Arc::from)));
        }
    }
}

impl Drop for Compilation {
    fn drop(&mut self) {
        let mut orders = self.shared.orders();
        if let Some(order @ Order::UnderWay) = orders.get_mut(&self.key) {
            *order = Order::Done(Err(lost(&self.key)));
        }
        drop(orders);
        self.shared.done.notify_all();
    }
}

/// Bytes behind the machine code in a file: its length and its checksum.
const SEAL: usize = 16;

/// Machine code as it is kept in a file.
fn sealed(code: &[u8]) -> Vec<u8> {
    let seal = [(code.len() as u64).to_le_bytes(), xxh3_64(code).to_le_bytes()].concat();
    [code, &seal].concat()
}

/// The machine code in a file; nothing where that is not what was written.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let code = &bytes[..bytes.len().checked_sub(SEAL)?];
    (sealed(code) == bytes).then_some(code)
}

fn lost(key: &str) -> GpuError {
    GpuError::Compile { name: key.to_owned(), log: "the compiler did not come to an end".into() }
}

#[cfg(test)]
mod tests;
