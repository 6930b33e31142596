//! What the desk keeps of the last run, and looks at it: the alignment in windows, hits in pages, a hit's own alignment, the
//! profile, the matrix, files.

use kernels::alignment::{Alignment, Edit, Summary, export};
use kernels::ask::{Form, Say, What};
use kernels::engine::Cpu;
use kernels::event::Answer;
use kernels::failure::Failure;
use kernels::found::{Found, Hit, csv};
use kernels::job::{Options, Task};
use kernels::matrix::document::Sheet;
use kernels::run::{Halt, Run, Silent};
use kernels::task::{Searched, Solution, solver};
use kernels::text::{Both, Pair, Text, Unit};

/// Hits of one page at most, and pieces of the text of one reply.
const MOST_HITS: u64 = 10_000;

/// Symbols of one piece of the text at most.
const MOST_PIECE: u64 = 10_000;

/// Hits that are written to a file at a time.
const HITS_AT_ONCE: u64 = 50_000;

/// The last run, or an alignment of a run elsewhere.
pub(super) struct Kept {
    task: Task,
    options: Options,
    /// Not there when the run was elsewhere.
    answer: Option<Answer>,
    /// Not there when the texts are on the server.
    pair: Option<Pair>,
    found: Option<Found>,
    /// Of both whole texts, or of the hit that was opened last.
    alignment: Option<Alignment>,
    opened: Option<Hit>,
}

/// A reply, and the bytes beside it.
pub(super) type Looked = Result<(Say, Vec<u8>), Failure>;

impl Kept {
    /// A run of this solver. Its alignment is walked through first: the page shows it as checked.
    pub(super) fn of_run(task: Task, options: Options, pair: Pair, solution: Solution) -> Result<Self, Failure> {
        let Solution { answer, alignment, found } = solution;
        if let Some(alignment) = &alignment {
            check(alignment, &pair, None)?;
        }
        Ok(Self { task, options, answer: Some(answer), pair: Some(pair), found, alignment, opened: None })
    }

    /// An alignment whose texts are elsewhere, from its CIGAR.
    pub(super) fn of_cigar(cigar: &[u8]) -> Result<(Self, Summary), Failure> {
        let alignment = String::from_utf8_lossy(cigar).trim().parse::<Alignment>()?;
        let summary = alignment.summary();
        let (task, options) = (Task::EditDistance, Options::default());
        Ok((Self { task, options, answer: None, pair: None, found: None, alignment: Some(alignment), opened: None }, summary))
    }

    /// Answers a look at what is kept.
    pub(super) fn look(&mut self, what: &What) -> Looked {
        let say = match *what {
            What::Window { from, len } => Say::Window(self.alignment()?.window(self.pair()?, from, len)),
            What::Overview { points } => Say::Overview(self.alignment()?.overview(points)),
            What::Difference { number } => Say::Difference(self.alignment()?.difference(number)),
            What::Hits { from, len } => Say::Hits(self.hits(from, len.min(MOST_HITS))?),
            What::Open { hit } => return self.open(hit).map(|say| (say, Vec::new())),
            What::Profile { from, len, points } => {
                let offsets = from..from.saturating_add(len);
                Say::Profile(solver(self.task).profile(&self.searched()?, offsets, points, &Run::new(&Silent)).map_err(Halt::failure)?)
            }
            What::Pieces { ref ranges } => {
                let b = &self.pair()?.b;
                Say::Pieces(ranges.iter().take(MOST_HITS as usize).map(|&(from, end)| piece(b, from, end)).collect())
            }
            What::Rows { width } => {
                let bytes = rows(self.alignment()?, width.max(1)).into_iter().flat_map(u32::to_le_bytes).collect();
                return Ok((Say::Rows, bytes));
            }
            What::Matrix => Say::Matrix(Sheet::of(self.task, self.pair()?)?.0),
            What::Export { form } => return Ok((Say::Export, self.file(form)?)),
            What::Solve { .. } | What::Measure { .. } | What::Keep => return Err(Failure::engine("This is no look at a result.")),
        };
        Ok((say, Vec::new()))
    }

    fn alignment(&self) -> Result<&Alignment, Failure> {
        self.alignment.as_ref().ok_or_else(|| Failure::engine("There is no alignment here. Run it again with one."))
    }

    fn pair(&self) -> Result<&Pair, Failure> {
        self.pair.as_ref().ok_or_else(|| Failure::engine("The texts are not on this device."))
    }

    fn searched(&self) -> Result<Searched<'_>, Failure> {
        let (Some(answer), Some(found)) = (&self.answer, &self.found) else { return Err(Failure::engine("There are no hits here.")) };
        Ok(Searched { pair: self.pair()?, options: &self.options, answer, found })
    }

    /// A page. Nobody can stop it: who does not wait for it ends the worker.
    fn hits(&self, from: u64, len: u64) -> Result<Vec<Hit>, Failure> {
        let page = from..from.saturating_add(len);
        solver(self.task).hits(&self.searched()?, page, &Cpu::SINGLE, &Run::new(&Silent)).map_err(Halt::failure)
    }

    /// Aligns a hit, walks through its alignment, and keeps it.
    fn open(&mut self, number: u64) -> Result<Say, Failure> {
        let hit = *self.hits(number, 1)?.first().ok_or_else(|| Failure::engine("There is no such hit."))?;
        let pair = self.pair()?;
        let alignment = solver(self.task).align(pair, hit, &Cpu::SINGLE, &Run::new(&Silent)).map_err(Halt::failure)?;
        check(&alignment, pair, Some(hit))?;
        let summary = alignment.summary();
        if summary.distance() != hit.distance {
            return Err(Failure::engine("The alignment of this hit does not have the hit's distance."));
        }
        (self.alignment, self.opened) = (Some(alignment), Some(hit));
        Ok(Say::Opened { hit, summary })
    }

    fn file(&self, form: Form) -> Result<Vec<u8>, Failure> {
        match form {
            Form::Cigar => Ok(format!("{}\n", self.alignment()?).into_bytes()),
            Form::Text => {
                let mut text = String::new();
                export::blocks(&mut text, self.pair()?, self.alignment()?)
                    .map_err(|_| Failure::engine("The blocks could not be written."))?;
                Ok(text.into_bytes())
            }
            Form::Json => {
                let mut whole = serde_json::json!({ "task": self.task, "options": self.options, "answer": self.answer });
                if let Some(hit) = self.opened {
                    whole["hit"] = serde_json::json!(hit);
                }
                if let Some(alignment) = &self.alignment {
                    whole["cigar"] = alignment.to_string().into();
                }
                serde_json::to_vec_pretty(&whole).map_err(|error| Failure::engine(format!("The JSON could not be written: {error}.")))
            }
            Form::Csv => self.csv(),
        }
    }

    /// All hits, a line each.
    fn csv(&self) -> Result<Vec<u8>, Failure> {
        let total = self.searched()?.found.positions.len();
        let mut out = String::from(csv::HITS);
        for from in (0..total).step_by(HITS_AT_ONCE as usize) {
            csv::hits(&mut out, &self.hits(from, HITS_AT_ONCE)?).map_err(|_| Failure::engine("The hits could not be written."))?;
        }
        Ok(out.into_bytes())
    }
}

/// The symbols `from..end` of a text, as they are shown.
fn piece(text: &Text, from: u64, end: u64) -> String {
    let end = end.min(text.len() as u64).min(from.saturating_add(MOST_PIECE));
    let between = match text.unit() {
        Unit::Words => " ",
        Unit::Bytes | Unit::Chars | Unit::Graphemes | Unit::Lines => "",
    };
    (from..end).map(|at| text.show(at as usize)).collect::<Vec<_>>().join(between)
}

/// Walks through the whole alignment.
fn check(alignment: &Alignment, pair: &Pair, hit: Option<Hit>) -> Result<(), Failure> {
    fn part<T>(b: &[T], hit: Option<Hit>) -> &[T] {
        hit.map_or(b, |hit| b.get(hit.start as usize..hit.end as usize).unwrap_or_default())
    }
    let checked = match pair.both()? {
        Both::Narrow(a, b) => alignment.check(a, part(b, hit)),
        Both::Wide(a, b) => alignment.check(a, part(b, hit)),
    };
    checked.map_err(|misfit| Failure::engine(format!("The alignment does not fit the texts at {misfit}.")))
}

/// Rows of `width` columns that have a difference, ascending. Time O(stretches + rows named).
pub(super) fn rows(alignment: &Alignment, width: u64) -> Vec<u32> {
    let mut rows: Vec<u32> = Vec::new();
    let mut column = 0u64;
    for stretch in alignment.stretches() {
        let end = column + u64::from(stretch.len);
        if stretch.edit != Edit::Equal {
            let first = (column / width) as u32;
            let next = rows.last().map_or(0, |last| last + 1);
            rows.extend(first.max(next)..=((end - 1) / width) as u32);
        }
        column = end;
    }
    rows
}
