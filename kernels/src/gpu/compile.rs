//! Compile: compiles CUDA C++ to machine code with NVRTC, and writes the results to disk.
//!
//! The output is machine code for the present GPU instead of PTX. Any driver of the same major version runs it, whether
//! it is older or newer than NVRTC. Loading it needs no further compilation.

use std::ffi::CString;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::Path;

use cudarc::nvrtc::result::{self, NvrtcError};
use cudarc::nvrtc::sys;

use super::{GpuError, PRELUDE};

/// The compute capability of a GPU: the version of its instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeCapability {
    /// Major version: 9 of 9.0.
    pub major: i32,
    /// Minor version: 0 of 9.0.
    pub minor: i32,
}

impl ComputeCapability {
    /// Compute capability of Turing, the oldest architecture that NVRTC 13 supports.
    pub const TURING: Self = Self { major: 7, minor: 5 };
    /// Compute capability of Hopper, the architecture of H100 and H200.
    pub const HOPPER: Self = Self { major: 9, minor: 0 };
}

/// A kernel file, that is, CUDA C++ source with one or more kernels, and values for its constants.
#[derive(Clone, Debug)]
pub struct KernelSource {
    /// Name of the kernel file in errors and in the names of cached files. Consists of letters, digits and `-`.
    pub name: &'static str,
    /// Contents of the kernel file, without the code that all kernels share.
    pub text: &'static str,
    /// Constants that the host and the kernel file share, with their values.
    pub defines: Vec<(&'static str, u64)>,
}

impl KernelSource {
    /// Returns the number of bits per symbol that the kernels are compiled for, or 0 if they work for any number.
    pub(crate) fn planes(&self) -> u64 {
        self.defines.iter().find(|(name, _)| *name == "PLANES").map_or(0, |(_, planes)| *planes)
    }

    /// Returns the name under which the machine code for GPUs of `arch` is cached. It depends on everything that
    /// affects this code.
    pub(super) fn key(&self, arch: ComputeCapability) -> String {
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

/// Returns whether NVRTC, the compiler, is installed. Without NVRTC, nothing can be compiled, and `KernelSource::key`
/// panics.
pub fn is_present() -> bool {
    // SAFETY: loading a library runs its initialisers; those of NVRTC have no precondition.
    unsafe { sys::is_culib_present() }
}

/// Returns the version of NVRTC as major and minor number, or (0, 0) if it is unknown. NVRTC must be installed.
fn version() -> (i32, i32) {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are valid for writing an int.
    let _ = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    (major, minor)
}

/// Compiles `source` with NVRTC for GPUs of `arch`, and returns the machine code. Takes some tenths of a second.
///
/// # Errors
/// Returns `NoCompiler` if NVRTC is missing, and `Compile` with NVRTC's log if compilation fails.
pub fn machine_code(source: &KernelSource, arch: ComputeCapability) -> Result<Vec<u8>, GpuError> {
    compiled(source, arch).map(|(code, _)| code)
}

/// Returns the total bytes of register spills (stores plus loads) in the kernels of `source` on GPUs of `arch`. Kernels
/// whose variables all fit into registers have no spills.
///
/// # Errors
/// Returns the errors of [`machine_code`]. Also returns `Compile` if the log has no figures.
pub fn spilled_bytes(source: &KernelSource, arch: ComputeCapability) -> Result<u64, GpuError> {
    let (_, log) = compiled(source, arch)?;
    spilled(&log).ok_or(GpuError::Compile { name: source.name.into(), log })
}

/// Adds up the spilled bytes in an assembler's log, which has phrases such as "8 bytes spill stores, 16 bytes spill
/// loads". Returns `None` if the log has no such phrase.
fn spilled(log: &str) -> Option<u64> {
    let words: Vec<&str> = log.split_whitespace().collect();
    let said = words.windows(3).filter(|words| words[1..] == ["bytes", "spill"]).map(|words| words[0].parse().ok());
    said.reduce(|sum: Option<u64>, bytes| Some(sum? + bytes?)).flatten()
}

/// Compiles `source` for GPUs of `arch`. Returns the machine code and the assembler's log.
fn compiled(source: &KernelSource, arch: ComputeCapability) -> Result<(Vec<u8>, String), GpuError> {
    if !is_present() {
        return Err(GpuError::NoCompiler);
    }
    let refused = |log: String| GpuError::Compile { name: source.name.into(), log };
    let text = CString::new(format!("{PRELUDE}\n{}", source.text)).map_err(|error| refused(error.to_string()))?;
    let mut options =
        vec![format!("--gpu-architecture=sm_{}{}", arch.major, arch.minor), "--std=c++17".into(), "--ptxas-options=-v".into()];
    options.extend(source.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
    let attempt = |options: &[String]| {
        let program = NvrtcProgram(result::create_program(&text, None)?);
        // SAFETY: the program was made above and is destroyed once, by its guard.
        let outcome = unsafe { result::compile_program(program.0, options) };
        Ok((program, outcome))
    };
    // The compiler uses all cores for the kernels of a file. Older compilers reject the option.
    let side_by_side = [&options[..], &["--split-compile=0".into()]].concat();
    let compiled = match attempt(&side_by_side) {
        Ok((_, Err(error))) if error.0 == sys::nvrtcResult::NVRTC_ERROR_INVALID_OPTION => attempt(&options),
        compiled => compiled,
    };
    let (program, outcome) = compiled.map_err(|error: NvrtcError| refused(format!("{error:?}")))?;
    // SAFETY: the program was made above and is destroyed once, by its guard.
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

/// Writes `bytes` to `file` through a temporary file, so that readers never see a partial file.
pub(super) fn write_atomically(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = file.with_extension(format!("part-{}", std::process::id()));
    let mut writer = std::fs::File::create(&part)?;
    writer.write_all(bytes)?;
    // Without syncing, the new name may survive a power loss while the contents do not.
    writer.sync_all()?;
    std::fs::rename(&part, file)
}

struct NvrtcProgram(sys::nvrtcProgram);

impl Drop for NvrtcProgram {
    fn drop(&mut self) {
        // SAFETY: made by `create_program`, destroyed here and nowhere else.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_bytes_are_added_up() {
        let log = "ptxas info : Function properties for sweep\n 0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n\
                   ptxas info : Function properties for pack\n 0 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads";
        assert_eq!(spilled(log), Some(28));
        assert_eq!(spilled("nothing was said"), None);
    }
}
