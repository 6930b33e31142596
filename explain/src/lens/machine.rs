//! The lens of memory machines: one round of requests to two memories, by section 2 of paper 000. The discrete memory
//! machine (DMM, a model of shared memory) has banks. The unified memory machine (UMM, a model of global memory) has
//! address groups. A step is a time unit.
//!
//! Each warp of `w` threads requests up to `w` addresses. Requests of a warp that a memory can serve together form a
//! stage: on the DMM at most one address per bank, on the UMM the addresses of one group. One stage enters the memory's
//! pipeline in each time unit and is answered after `l` time units. So a round takes as many time units as there are
//! stages, plus `l − 1`.

use kernels::machine::{MemoryMachine, PipelineStage};

use super::frame::{
    CellTape, ChartLane, GridRectangle, LaneChart, LaneSpan, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel,
    LensSentence, PanelBody, PanelCell, PanelGrid, PanelPosition, SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionTurn};
use super::settings::{LensParameter, LensSettings, ParameterKind};
use super::{CodeLine, Lens, SentenceTemplate, line};

mod questions;

/// Number of words of the memory to which random requests go.
const MEMORY_WORDS: u64 = 64;

/// Maximum number of threads. Each thread makes one request.
const MAX_THREADS: u32 = 32;

/// The parameters of this lens. The machine has the width `w` and the latency `l`. `access` is the kind of requests:
/// for `given`, `requests` lists the addresses; the other kinds depend on the number of threads `p`, the first address
/// `from`, the `stride`, or the `seed`.
pub(super) const PARAMETERS: &[LensParameter] = &[
    LensParameter::number("w", 1, 16, 4),
    LensParameter::number("l", 1, 20, 5),
    LensParameter { key: "access", kind: ParameterKind::Choice(&["given", "coalesced", "stride", "random"]) },
    LensParameter {
        key: "requests",
        kind: ParameterKind::Numbers { max_len: MAX_THREADS as usize, greatest: 127, default_list: &[7, 5, 15, 0, 10, 11, 12, 9] },
    },
    LensParameter::number("p", 1, MAX_THREADS, 8),
    LensParameter::number("from", 0, 31, 0),
    LensParameter::number("stride", 0, 4, 2),
    LensParameter::number("seed", 0, 9999, 1),
];

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("machine.begin", &["requests", "warps", "w"]),
    ("machine.unit", &["unit", "dmm", "umm", "requests"]),
    ("machine.why", &["l", "dmm", "umm"]),
    ("machine.end", &["dmm", "umm"]),
    ("machine.addresses", &["addresses"]),
    ("question.dmm-time", &["l"]),
    ("question.umm-time", &["l"]),
    ("question.dmm-stages", &["warp", "addresses"]),
    ("question.umm-stages", &["warp", "addresses"]),
    ("question.bank", &["address", "w"]),
    ("question.group", &["address", "w"]),
    ("question.dmm-answered", &["unit"]),
    ("question.umm-answered", &["unit"]),
    ("question.dmm-enters", &["unit"]),
    ("question.umm-enters", &["unit"]),
    ("why.dmm-stages", &["w"]),
    ("why.umm-stages", &["w"]),
    ("why.time", &["stages", "l"]),
    ("why.bank", &["address", "w", "is"]),
    ("why.group", &["address", "w", "is"]),
    ("why.answered", &["l", "unit"]),
    ("why.enters", &["warp", "stages"]),
];

const CODE: &[CodeLine] = &[
    line("", "DMM: bank of address a is a mod w"),
    line("", "UMM: group of address a is ⌊a / w⌋"),
    line("", "for each warp in turn"),
    line("", "  DMM: stages = most addresses in one bank"),
    line("", "  UMM: stages = address groups"),
    line("", "  a stage enters the pipeline each time unit"),
    line("", "time = stages of all warps + l − 1"),
];

/// The pipeline of one of the two memories: the requests of the round, divided into stages, and the time that they
/// take.
struct MemoryPipeline {
    machine: MemoryMachine,
    stages: Vec<PipelineStage>,
    time: usize,
}

pub(super) struct MachineLens {
    requests: Vec<usize>,
    sides: [MemoryPipeline; 2],
}

impl MemoryPipeline {
    fn new(machine: MemoryMachine, requests: &[usize]) -> Self {
        let asked: Vec<Option<usize>> = requests.iter().copied().map(Some).collect();
        let time = machine.round(&asked).time_units() as usize;
        Self { machine, stages: machine.schedule(&asked), time }
    }

    fn latency(&self) -> usize {
        self.machine.latency as usize
    }

    /// Returns the number of requests that the memory has answered after `unit` time units.
    fn answered(&self, unit: usize) -> usize {
        let stages = self.stages.iter().enumerate().filter(|(at, _)| at + self.latency() <= unit);
        stages.map(|(_, stage)| stage.threads.len()).sum()
    }

    /// Returns the number of stages that the requests of warp number `warp` need.
    fn stages_of(&self, warp: usize) -> usize {
        self.stages.iter().filter(|stage| stage.warp == warp).count()
    }
}

impl MachineLens {
    pub(super) fn new(settings: &LensSettings) -> Self {
        let (w, latency) = (settings.number("w"), settings.number("l") as u64);
        let requests = requests(settings);
        let sides = [MemoryMachine::dmm(w, latency), MemoryMachine::umm(w, latency)].map(|machine| MemoryPipeline::new(machine, &requests));
        Self { requests, sides }
    }

    fn width(&self) -> usize {
        self.sides[0].machine.width
    }

    fn warps(&self) -> usize {
        self.requests.len().div_ceil(self.width())
    }

    fn addresses(&self, warp: usize) -> &[usize] {
        self.requests.chunks(self.width()).nth(warp).unwrap_or_default()
    }

    fn request_table(&self) -> TapeTable {
        let warps = self.requests.chunks(self.width()).enumerate();
        let tape = |(warp, addresses): (usize, &[usize])| {
            let cell = |address: &usize| PanelCell { owner: Some(warp as u16), ..PanelCell::number(*address) };
            let label = LensLabel::code("W").with_index(ShownValue::Number(warp as u32));
            CellTape { label, cells: addresses.iter().map(cell).collect(), ..CellTape::default() }
        };
        TapeTable { columns: self.width(), numbered: Some(0), tapes: warps.map(tape).collect(), arrows: Vec::new() }
    }

    /// Returns the grid of the memory `side` after `unit` time units: banks are columns, address groups are rows.
    fn memory(&self, side: &MemoryPipeline, unit: usize) -> PanelGrid {
        let (w, is_dmm) = (self.width(), side.machine == self.sides[0].machine);
        let rows = self.requests.iter().max().map_or(0, |last| last / w + 1);
        let (mut heads, mut columns) = (vec![PanelCell::default(); rows], vec![PanelCell::default(); w]);
        if is_dmm {
            columns = (0..w).map(PanelCell::number).collect();
        } else {
            heads = (0..rows).map(PanelCell::number).collect();
        }
        let mut grid = PanelGrid { rows: heads, columns, cells: (0..rows * w).map(PanelCell::number).collect(), ..PanelGrid::default() };
        for (at, stage) in side.stages.iter().enumerate() {
            let mark = match unit {
                _ if at + side.latency() <= unit => LensMark::Kept,
                _ if at < unit => LensMark::Read,
                _ => LensMark::Ahead,
            };
            for address in stage.threads.iter().map(|thread| self.requests[*thread]) {
                let cell = &mut grid.cells[address];
                cell.owner = cell.owner.or(Some(stage.warp as u16));
                cell.add(mark);
                if at + 1 == unit {
                    cell.add(LensMark::New);
                }
            }
        }
        // Frames every bank of the DMM, marked if requests of one warp conflict there, or every address group of the
        // UMM.
        for line in 0..if is_dmm { w } else { rows } {
            let meets = |warp: usize| {
                let mut asked: Vec<usize> = self.addresses(warp).to_vec();
                asked.sort_unstable();
                asked.dedup();
                asked.iter().filter(|address| side.machine.bank(**address) == line).count() > 1
            };
            let mark = if is_dmm && (0..self.warps()).any(meets) { LensMark::Conflict } else { LensMark::Earlier };
            let (rows, columns) = if is_dmm { (0..rows, line..line + 1) } else { (line..line + 1, 0..w) };
            grid.rectangles.push(GridRectangle { rows, columns, mark, depth: 0 });
        }
        grid
    }

    /// Returns a chart of the pipeline of the memory `side` after `unit` time units: one row per stage along an axis of
    /// time units.
    fn pipeline(&self, side: &MemoryPipeline, unit: usize) -> LaneChart {
        let lane = |(at, stage): (usize, &PipelineStage)| {
            let span = |passed: usize| {
                let here = at + passed;
                let mark = match here + 1 {
                    now if now == unit => LensMark::New,
                    past if past < unit => LensMark::Kept,
                    _ => LensMark::Ahead,
                };
                let entry = PanelCell { owner: Some(stage.warp as u16), ..PanelCell::number(passed + 1) };
                LaneSpan { range: here..here + 1, entry: entry.with_mark(mark) }
            };
            let addresses = stage.threads.iter().map(|thread| self.requests[*thread] as u64).collect();
            ChartLane {
                label: LensLabel::code("W").with_index(ShownValue::Number(stage.warp as u32)),
                spans: (0..side.latency()).map(span).collect(),
                note: Some(LensSentence::new("machine.addresses", [("addresses", SentenceValue::Numbers(addresses))])),
            }
        };
        let lanes = side.stages.iter().enumerate().map(lane).collect();
        LaneChart { axis: "time-units", length: self.len(), first: 1, now: Some(unit), lanes }
    }
}

impl Lens for MachineLens {
    fn len(&self) -> usize {
        self.sides.iter().map(|side| side.time).max().unwrap_or_default()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let unit = step.min(self.len());
        let [dmm, umm] = &self.sides;
        let all = self.requests.len();
        let number = SentenceValue::number;
        let happens = match unit {
            0 => LensSentence::new(
                "machine.begin",
                [("requests", number(all)), ("warps", number(self.warps())), ("w", number(self.width()))],
            ),
            _ => {
                let (on_dmm, on_umm) = (("dmm", number(dmm.answered(unit))), ("umm", number(umm.answered(unit))));
                LensSentence::new("machine.unit", [("unit", number(unit)), on_dmm, on_umm, ("requests", number(all))])
            }
        };
        let why = match unit == self.len() {
            true => LensSentence::new("machine.end", [("dmm", number(dmm.time)), ("umm", number(umm.time))]),
            false => {
                let stages = [("dmm", number(dmm.stages.len())), ("umm", number(umm.stages.len()))];
                LensSentence::new("machine.why", [[("l", number(dmm.latency()))].as_slice(), &stages].concat())
            }
        };
        let stages = dmm.stages.len().max(umm.stages.len());
        let line = match unit {
            0 => 2,
            _ if unit <= stages => 5,
            _ => 6,
        };
        LensFrame {
            panels: vec![
                LensPanel::new("requests", PanelPosition::Main, PanelBody::Tapes(self.request_table())),
                LensPanel::new("dmm", PanelPosition::Main, PanelBody::Grid(self.memory(dmm, unit))),
                LensPanel::new("umm", PanelPosition::Side, PanelBody::Grid(self.memory(umm, unit))),
                LensPanel::new("dmm-pipeline", PanelPosition::Main, PanelBody::Lanes(self.pipeline(dmm, unit))),
                LensPanel::new("umm-pipeline", PanelPosition::Side, PanelBody::Lanes(self.pipeline(umm, unit))),
            ],
            sentences: vec![happens, why],
            counts: vec![
                LensCount::new("dmm-time-units", unit.min(dmm.time), dmm.time),
                LensCount::new("umm-time-units", unit.min(umm.time), umm.time),
                LensCount::new("dmm-answered", dmm.answered(unit), all),
                LensCount::new("umm-answered", umm.answered(unit), all),
            ],
            line: Some(line),
            outcome: (unit == self.len()).then_some(LensOutcome::TimeUnits { dmm: dmm.time as u64, umm: umm.time as u64 }),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        self.build_questions(step, turn)
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

/// Returns the address that each thread requests, as the parameters in `settings` say.
fn requests(settings: &LensSettings) -> Vec<usize> {
    let (p, from, stride) = (settings.number("p"), settings.number("from"), settings.number("stride"));
    match settings.choice("access") {
        "coalesced" => (from..from + p).collect(),
        "stride" => (0..p).map(|thread| from + thread * stride).collect(),
        "random" => {
            let mut state = settings.number("seed") as u64;
            (0..p).map(|_| (next(&mut state) % MEMORY_WORDS) as usize).collect()
        }
        _ => settings.numbers("requests").iter().map(|address| *address as usize).collect(),
    }
}

/// Returns the next number of SplitMix64 (Steele, Lea and Flood 2014), and advances `state`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use kernels::machine::access;

    use super::super::LensName;
    use super::*;

    fn machine(text: &str) -> MachineLens {
        MachineLens::new(&LensSettings::parse(LensName::Machine, text).unwrap())
    }

    fn times(text: &str) -> (u64, u64) {
        let machine = machine(text);
        match machine.frame(machine.len()).outcome {
            Some(LensOutcome::TimeUnits { dmm, umm }) => (dmm, umm),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn figure_3_takes_7_and_9_time_units() {
        assert_eq!(times(""), (7, 9));
        assert_eq!(machine("").len(), 9);
        // Without requests there is no work.
        assert_eq!((machine("requests:").len(), times("requests:")), (0, (0, 0)));
    }

    #[test]
    fn times_of_regular_requests_agree_with_the_formulas() {
        for (w, l) in [(2u64, 1u64), (4, 5), (8, 20), (16, 3)] {
            let (dmm, umm) = (MemoryMachine::dmm(w as usize, l), MemoryMachine::umm(w as usize, l));
            let (p, text) = (32, format!("w:{w},l:{l},p:32"));
            assert_eq!(times(&format!("{text},access:coalesced")), (access::contiguous(&dmm, p, p), access::contiguous(&umm, p, p)));
            for from in 0..32 {
                let formula = [dmm, umm].map(|machine| access::contiguous_from(&machine, from, p, p));
                assert_eq!(times(&format!("{text},access:coalesced,from:{from}")), (formula[0], formula[1]), "{w} {l} {from}");
            }
            for stride in 0..=4 {
                let formula = [dmm, umm].map(|machine| access::stride(&machine, stride, p, p));
                assert_eq!(times(&format!("{text},access:stride,stride:{stride}")), (formula[0], formula[1]), "{w} {l} {stride}");
            }
        }
    }

    #[test]
    fn random_requests_depend_on_the_seed_alone() {
        let of = |seed: u32| machine(&format!("access:random,seed:{seed},p:32")).requests;
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        // Some seed requests each word of the memory.
        let mut asked = [false; MEMORY_WORDS as usize];
        (0..40).flat_map(of).for_each(|address| asked[address] = true);
        assert!(asked.iter().all(|is_asked| *is_asked));
        // The first number for seed 0, as published with the generator.
        assert_eq!(next(&mut 0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn pipeline_accepts_one_stage_per_time_unit_and_answers_after_l_units() {
        for seed in 0..40 {
            let machine = machine(&format!("access:random,seed:{seed},p:{},w:{},l:{}", 1 + seed % 32, 1 + seed % 7, 1 + seed % 5));
            for side in &machine.sides {
                let lanes = machine.pipeline(side, machine.len());
                assert_eq!(lanes.lanes.len(), side.stages.len());
                for (at, lane) in lanes.lanes.iter().enumerate() {
                    assert_eq!((lane.spans[0].range.start, lane.spans.len()), (at, side.latency()));
                    // The requests of a stage use distinct banks, or belong to one group.
                    let mut asked: Vec<usize> = side.stages[at].threads.iter().map(|thread| machine.requests[*thread]).collect();
                    asked.sort_unstable();
                    asked.dedup();
                    let w = machine.width();
                    let of = |address: &usize| if side.machine == machine.sides[0].machine { address % w } else { address / w };
                    let mut lines: Vec<usize> = asked.iter().map(of).collect();
                    lines.sort_unstable();
                    lines.dedup();
                    let expected = if side.machine == machine.sides[0].machine { asked.len() } else { 1 };
                    assert_eq!(lines.len(), expected);
                }
                assert_eq!(lanes.lanes.last().map(|lane| lane.spans.last().unwrap().range.end), Some(side.time));
                assert_eq!(side.answered(side.time), machine.requests.len());
                assert!(side.answered(side.time - 1) < machine.requests.len());
            }
        }
    }
}
