//! CUDA C++ to machine code by NVRTC, and its cache on disk.
//!
//! Machine code for the device at hand, not PTX: a driver of the same major version runs it whichever of the two is newer, and
//! nothing is left to compile when it is loaded.

use std::ffi::CString;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::Path;

use cudarc::nvrtc::{result, sys};

use super::{GpuError, PRELUDE};

/// Compute capability of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arch {
    /// 9 of 9.0.
    pub major: i32,
    /// 0 of 9.0.
    pub minor: i32,
}

impl Arch {
    /// Turing, the oldest that NVRTC 13 knows.
    pub const TURING: Self = Self { major: 7, minor: 5 };
    /// Hopper: H100, H200.
    pub const HOPPER: Self = Self { major: 9, minor: 0 };
}

/// One variant of a kernel file.
#[derive(Clone, Debug)]
pub struct KernelSource {
    /// Name for errors and cache files: letters, digits, `-`.
    pub name: &'static str,
    /// The kernel file; the prelude goes before it.
    pub text: &'static str,
    /// Constants that host and device share, as `-D`.
    pub defines: Vec<(&'static str, u64)>,
}

impl KernelSource {
    /// Bits of a symbol number that it is for; 0 where that makes no difference.
    pub(crate) fn planes(&self) -> u64 {
        self.defines.iter().find(|(name, _)| *name == "PLANES").map_or(0, |(_, planes)| *planes)
    }

    /// Name of this variant's machine code: it changes with everything that goes into it.
    pub(super) fn key(&self, arch: Arch) -> String {
        let mut hash = DefaultHasher::new();
        (PRELUDE, self.text, version()).hash(&mut hash);
        let mut key = format!("{}-sm{}{}", self.name, arch.major, arch.minor);
        for (name, value) in &self.defines {
            let _ = write!(key, "-{}{value}", name.to_ascii_lowercase());
        }
        let _ = write!(key, "-{:016x}", hash.finish());
        key
    }
}

/// Whether NVRTC is on this machine. Every other function here may be called only when it is.
pub fn is_present() -> bool {
    // SAFETY: loading a library runs its initialisers; those of NVRTC have no precondition.
    unsafe { sys::is_culib_present() }
}

/// NVRTC's version, (0, 0) where it does not say.
fn version() -> (i32, i32) {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are valid for writing an int.
    let _ = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    (major, minor)
}

/// Compiles `source` for devices of `arch`. Takes some tenths of a second.
///
/// # Errors
/// `NoCompiler` without NVRTC, `Compile` with its log when it refuses.
pub fn machine_code(source: &KernelSource, arch: Arch) -> Result<Vec<u8>, GpuError> {
    compiled(source, arch).map(|(code, _)| code)
}

/// Bytes of registers that the kernels of `source` have to keep in memory, on devices of `arch`: stores and loads of each of them,
/// added up. A kernel that has room for its registers has none.
///
/// # Errors
/// As [`machine_code`]; `Compile` too when the compiler does not say.
pub fn spilled_bytes(source: &KernelSource, arch: Arch) -> Result<u64, GpuError> {
    let (_, log) = compiled(source, arch)?;
    spilled(&log).ok_or(GpuError::Compile { name: source.name.into(), log })
}

/// The sum of what an assembler's log says is spilled: "8 bytes spill stores, 16 bytes spill loads".
fn spilled(log: &str) -> Option<u64> {
    let words: Vec<&str> = log.split_whitespace().collect();
    let said = words.windows(3).filter(|words| words[1..] == ["bytes", "spill"]).map(|words| words[0].parse().ok());
    said.reduce(|sum: Option<u64>, bytes| Some(sum? + bytes?)).flatten()
}

/// Machine code and what the assembler says about it.
fn compiled(source: &KernelSource, arch: Arch) -> Result<(Vec<u8>, String), GpuError> {
    if !is_present() {
        return Err(GpuError::NoCompiler);
    }
    let refused = |log: String| GpuError::Compile { name: source.name.into(), log };
    let text = CString::new(format!("{PRELUDE}\n{}", source.text)).map_err(|error| refused(error.to_string()))?;
    let program = Program(result::create_program(&text, None).map_err(|error| refused(format!("{error:?}")))?);
    let mut options =
        vec![format!("--gpu-architecture=sm_{}{}", arch.major, arch.minor), "--std=c++17".into(), "--ptxas-options=-v".into()];
    options.extend(source.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
    // SAFETY: the program was made above and is destroyed once, by its guard.
    let outcome = unsafe { result::compile_program(program.0, &options) };
    // SAFETY: as above.
    let log = unsafe { result::get_program_log(program.0) }.unwrap_or_default();
    let log: Vec<u8> = log.into_iter().map(|byte| byte as u8).filter(|&byte| byte != 0).collect();
    let log = String::from_utf8_lossy(&log).trim().to_owned();
    if let Err(error) = outcome {
        return Err(refused(format!("{error:?}: {log}")));
    }
    let mut len = 0;
    // SAFETY: the program is compiled, and `len` is valid for writing.
    unsafe { sys::nvrtcGetCUBINSize(program.0, &raw mut len) }.result().map_err(|error| refused(format!("{error:?}")))?;
    let mut code = vec![0u8; len];
    // SAFETY: `code` has room for the `len` bytes that NVRTC has just asked for.
    unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast()) }.result().map_err(|error| refused(format!("{error:?}")))?;
    Ok((code, log))
}

/// Writes `bytes` to `file` so that nobody ever reads half of them.
pub(super) fn keep(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = file.with_extension(format!("part-{}", std::process::id()));
    let mut writer = std::fs::File::create(&part)?;
    writer.write_all(bytes)?;
    // Without it a name may outlive a power loss and what it stands for may not.
    writer.sync_all()?;
    std::fs::rename(&part, file)
}

struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `create_program`, destroyed here and nowhere else.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spills_are_added_up() {
        let log = "ptxas info : Function properties for sweep\n 0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n\
                   ptxas info : Function properties for pack\n 0 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads";
        assert_eq!(spilled(log), Some(28));
        assert_eq!(spilled("nothing was said"), None);
    }
}
