//! Kept: measurements of the engines, cached on disk (`MeasurementFile`), so that a restarted server knows the engines'
//! rates immediately.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kernels::engine::Engine;
use kernels::job::Task;
use kernels::plan::{EngineName, MeasuredOffer};

use super::measure::{PROGRAM_VERSION, device};

/// Maximum age of a cached measurement. If it is older at the start of the server, the engine is measured again.
const MAX_MEASUREMENT_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The cache file with the measurements of one engine.
#[derive(Clone, Debug)]
pub(super) struct MeasurementFile {
    file: PathBuf,
}

impl MeasurementFile {
    /// Returns the cache file of the engine `name`, such as `engines/cpu.json` in the folder `data`.
    pub(super) fn in_folder(data: &Path, name: EngineName) -> Self {
        let file = match name {
            EngineName::Cpu => "cpu.json",
            EngineName::Cuda => "cuda.json",
        };
        Self { file: data.join("engines").join(file) }
    }

    /// Reads the cached measurement of `engine`. Returns `None` if it is missing or older than a day, if it lacks the rate
    /// of a task, or if another version of the program or another device was measured.
    pub(super) fn read(&self, engine: &Engine) -> Option<MeasuredOffer> {
        let age = fs::metadata(&self.file).ok()?.modified().ok()?.elapsed().ok()?;
        let measured: MeasuredOffer = serde_json::from_reader(io::BufReader::new(File::open(&self.file).ok()?)).ok()?;
        let offer = &measured.offer;
        let is_same = offer.engine == engine.name() && offer.device == device(engine) && offer.version == PROGRAM_VERSION;
        let has_all_rates = Task::ALL.into_iter().filter(|task| engine.solves(*task)).all(|task| offer.rate(task).is_some());
        (is_same && has_all_rates && age < MAX_MEASUREMENT_AGE).then_some(measured)
    }

    /// Replaces the cached measurement by `measured`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn write(&self, measured: &MeasuredOffer) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let part = self.file.with_extension(format!("part-{}", std::process::id()));
        fs::write(&part, serde_json::to_vec_pretty(measured)?)?;
        fs::rename(&part, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use kernels::engine::Cpu;
    use kernels::plan::{EngineLimits, EnginePlace, PlannerOffer, TaskRate};

    use super::*;

    fn engine(threads: usize) -> Engine {
        Engine::Cpu(Cpu { threads })
    }

    fn measured(engine: &Engine) -> MeasuredOffer {
        let offer = PlannerOffer {
            engine: EngineName::Cpu,
            place: EnginePlace::Server,
            device: device(engine),
            tasks: Task::ALL.map(|task| TaskRate { task, cells_per_second: 1e11 + 0.1 }).to_vec(),
            start_ms: 0.3,
            bytes_per_second: 1e7,
            limits: EngineLimits::NONE,
            version: PROGRAM_VERSION.into(),
        };
        MeasuredOffer { offer, delays: Vec::new() }
    }

    #[test]
    fn measurements_are_reused_for_a_day_on_the_same_device_and_version() {
        let folder = tempfile::tempdir().unwrap();
        let kept = MeasurementFile::in_folder(folder.path(), EngineName::Cpu);
        assert_eq!(kept.read(&engine(2)), None, "no file exists yet");
        let of_two = measured(&engine(2));
        kept.write(&of_two).unwrap();
        assert_eq!(kept.read(&engine(2)), Some(of_two.clone()));
        assert_eq!(kept.read(&engine(3)), None, "another machine");
        let file = File::options().write(true).open(&kept.file).unwrap();
        file.set_modified(SystemTime::now() - MAX_MEASUREMENT_AGE).unwrap();
        assert_eq!(kept.read(&engine(2)), None, "the measurement is older than a day");
        let offer = PlannerOffer { version: "0.0.0".into(), ..of_two.offer.clone() };
        kept.write(&MeasuredOffer { offer, ..of_two.clone() }).unwrap();
        assert_eq!(kept.read(&engine(2)), None, "another version");
        let offer = PlannerOffer { tasks: of_two.offer.tasks[1..].to_vec(), ..of_two.offer.clone() };
        kept.write(&MeasuredOffer { offer, ..of_two.clone() }).unwrap();
        assert_eq!(kept.read(&engine(2)), None, "a task without a rate");
        kept.write(&of_two).unwrap();
        assert!(kept.read(&engine(2)).is_some());
        fs::write(&kept.file, b"{ \"offer\":").unwrap();
        assert_eq!(kept.read(&engine(2)), None, "half a file");
    }
}
