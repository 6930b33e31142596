//! The result that the solver stores ([`KeptResult`]), about which the page sends queries: windows of the alignment,
//! pages of hits, alignments of single hits, profile, matrix, dot plot, exports.
//!
//! - `files`: exports

use std::ops::Range;

use explain::difference_filter::find_difference;
use explain::dots::count_dots;
use explain::export::csv;
use explain::export::document::ResultDocument;
use explain::export::hit_file::HitFile;
use explain::format::{ExportFormat, FindingsFormat};
use explain::hit_page::HitPage;
use explain::matrix::document::MatrixSymbols;
use explain::points::{PointsSummary, PointsWindow};
use explain::side_by_side::SideBySideLayout;
use explain::snapshot::TextInfo;
use explain::window::{AlignmentWindow, overview};
use explain::worker_protocol::OpenedAlignment;
use explain::worker_protocol::query::{AlignmentQuery, HitQuery, LayoutQuery, WorkerQuery as _};
use kernels::alignment::{Alignment, AlignmentSummary, EditKind};
use kernels::engine::Cpu;
use kernels::event::{PairReadReport, TaskAnswer};
use kernels::failure::JobFailure;
use kernels::found::{Hit, ScoreSpan, SearchResult};
use kernels::job::{JobOptions, RecordChoice, Scoring, Task};
use kernels::run::{Halt, NoObserver, Run};
use kernels::strand::Strand;
use kernels::task::{FinishedSearch, Solution, searcher};
use kernels::text::{Pair, Text};
use kernels::with_symbols;

mod files;

/// Maximum number of hits in one page.
const MAX_HITS_PER_PAGE: u64 = 10_000;

/// Maximum number of matrix cells for a search of the nearest substring.
const MAX_NEAREST_CELLS: u64 = 200_000_000;

/// Number of scores that are fetched at a time while a file of scores is written.
const SCORES_PER_FETCH: u64 = 1 << 18;

/// The result that the solver stores for queries: the result of the last run in this solver, or an alignment from the
/// server.
pub(crate) struct KeptResult {
    task: Task,
    options: JobOptions,
    /// The answer of the run; `None` if the run was on the server.
    answer: Option<TaskAnswer>,
    /// Both texts; `None` if they are on the server.
    pair: Option<Pair>,
    found: Option<SearchResult>,
    /// The alignment of both whole texts, or of the hit or offset that was opened last.
    alignment: Option<Alignment>,
    /// The texts that `alignment` aligns, if it is on the reverse strand. Then `a` is the reverse complement of the
    /// pattern.
    reverse_pair: Option<Pair>,
    /// The layout of both texts side by side, computed when it is first requested.
    side_by_side: Option<SideBySideLayout>,
    /// The hit or offset of a search whose alignment is in `alignment`; `None` for an alignment of both whole texts.
    opened: Option<OpenedAlignment>,
    /// Record choices and metrics of the run; `None` if the run was on the server.
    run_info: Option<LocalRunInfo>,
}

/// The record choices and the metrics of a run in this solver.
pub(super) struct LocalRunInfo {
    /// The records chosen from `a` and `b`.
    pub(super) choices: [RecordChoice; 2],
    /// Names and values of the metrics.
    pub(super) metrics: Vec<(String, f64)>,
}

/// The encoded reply to a query, or the failure of the query.
pub(crate) type QueryReply = Result<Vec<u8>, JobFailure>;

impl KeptResult {
    /// Creates the stored result of a run in this solver. Checks its alignment first, because the page shows it as
    /// checked.
    pub(super) fn of_run(
        (task, options): (Task, JobOptions),
        pair: Pair,
        solution: Solution,
        ran: LocalRunInfo,
    ) -> Result<Self, JobFailure> {
        let Solution { answer, alignment, found } = solution;
        if let Some(alignment) = &alignment {
            check(alignment, &pair, aligned_ranges(&answer, &pair))?;
        }
        let (answer, pair, ran) = (Some(answer), Some(pair), Some(ran));
        Ok(Self { task, options, answer, pair, found, alignment, reverse_pair: None, side_by_side: None, opened: None, run_info: ran })
    }

    /// Creates the stored result of an alignment whose texts are on the server, from its CIGAR. Returns the result and
    /// the numbers of edits.
    pub(super) fn of_cigar(cigar: &[u8]) -> Result<(Self, AlignmentSummary), JobFailure> {
        let alignment = String::from_utf8_lossy(cigar).trim().parse::<Alignment>()?;
        let summary = alignment.summary();
        let (task, options) = (Task::EditDistance, JobOptions::default());
        Ok((
            Self {
                task,
                options,
                answer: None,
                pair: None,
                found: None,
                alignment: Some(alignment),
                reverse_pair: None,
                side_by_side: None,
                opened: None,
                run_info: None,
            },
            summary,
        ))
    }

    /// Returns whether the stored alignment is the one that `opened` names, or `true` if `opened` is `None`.
    pub(super) fn has(&self, opened: Option<OpenedAlignment>) -> bool {
        opened.is_none() || opened == self.opened
    }

    /// Answers a query about the stored alignment.
    pub(crate) fn answer_alignment_query(&self, query: &AlignmentQuery) -> QueryReply {
        let alignment = self.alignment()?;
        Ok(match query {
            AlignmentQuery::Window(query) => query.encode(&AlignmentWindow::new(alignment, self.aligned()?, query.from, query.len)),
            AlignmentQuery::Overview(query) => query.encode(&overview(alignment, query.points)),
            AlignmentQuery::Rows(query) => query.encode(&rows(alignment, query.width.max(1))),
            AlignmentQuery::Place(query) => query.encode(&find_difference(alignment, query.kinds, query.which)),
            AlignmentQuery::Column(query) => query.encode(&alignment.column_of(query.side, query.position)),
        })
    }

    /// Answers a query about the hits or scores of a search.
    pub(crate) fn answer_hit_query(&mut self, query: &HitQuery) -> QueryReply {
        let run = Run::new(&NoObserver);
        Ok(match query {
            HitQuery::Open(query) => query.encode(&self.open(query.hit)?),
            HitQuery::Overlay(query) => query.encode(&self.open_offset(query.offset)?),
            HitQuery::Page(query) => {
                let hits = self.hits(query.from, query.len.min(MAX_HITS_PER_PAGE))?;
                query.encode(
                    &HitPage::new(searcher(self.task)?, self.pair()?, hits, self.options.gaps, query.context, &run)
                        .map_err(Halt::failure)?,
                )
            }
            HitQuery::Nearest(query) => query.encode(&self.nearest(query.context).map_err(Halt::failure)?),
            HitQuery::Counts(query) => query.encode(&searcher(self.task)?.counts(&self.searched()?, &run).map_err(Halt::failure)?),
            HitQuery::Profile(query) => query.encode(&self.profile(query.from, query.len, query.points)?),
        })
    }

    /// Answers a query that computes a layout: matrix, dot plot, both texts side by side, or points of columns.
    pub(crate) fn answer_layout_query(&mut self, query: &LayoutQuery) -> QueryReply {
        Ok(match query {
            LayoutQuery::Outline(query) => query.encode(&self.side_by_side()?.outline()),
            LayoutQuery::RowPairs(query) => {
                self.side_by_side()?;
                let Some(editions) = &self.side_by_side else { return Err(JobFailure::engine("There are no editions here.")) };
                query.encode(&editions.row_pairs(self.aligned()?, self.alignment()?, (query.from, query.len)))
            }
            LayoutQuery::Matrix(query) => query.encode(&MatrixSymbols::from_pair(self.task, &self.options, self.pair()?)?.0),
            // This run cannot be cancelled, but its size is bounded.
            LayoutQuery::Dots(query) => {
                query.encode(&count_dots(self.pair()?, &query.frame, &Run::new(&NoObserver)).map_err(Halt::failure)?)
            }
            LayoutQuery::Points(query) => {
                let (alignment, scoring) = self.scored()?;
                query.encode(&PointsWindow::new(alignment, self.pair()?, &scoring, query.from, query.len))
            }
            LayoutQuery::Sums(query) => {
                let (alignment, scoring) = self.scored()?;
                query.encode(&PointsSummary::new(alignment, self.pair()?, &scoring))
            }
        })
    }

    fn alignment(&self) -> Result<&Alignment, JobFailure> {
        self.alignment.as_ref().ok_or_else(|| match self.answer.as_ref().and_then(TaskAnswer::no_alignment_reason) {
            Some(reason) => JobFailure::bad_input(reason),
            None => JobFailure::engine("There is no alignment here. Run it again with one."),
        })
    }

    /// Returns the alignment of `sequence-alignment` with its scoring.
    fn scored(&self) -> Result<(&Alignment, Scoring), JobFailure> {
        match self.task {
            Task::SequenceAlignment => Ok((self.alignment()?, self.options.scoring())),
            task => Err(JobFailure::bad_input(format!("Columns of {} have no points.", task.name()))),
        }
    }

    fn pair(&self) -> Result<&Pair, JobFailure> {
        self.pair.as_ref().ok_or_else(|| JobFailure::engine("The texts are not on this device."))
    }

    /// Returns the texts of the stored alignment, with `a` in the orientation in which it was aligned.
    fn aligned(&self) -> Result<&Pair, JobFailure> {
        self.reverse_pair.as_ref().map_or_else(|| self.pair(), Ok)
    }

    /// Returns the layout of both texts side by side, computed on the first call.
    fn side_by_side(&mut self) -> Result<&SideBySideLayout, JobFailure> {
        if self.side_by_side.is_none() {
            self.side_by_side = Some(SideBySideLayout::new(self.aligned()?, self.alignment()?)?);
        }
        self.side_by_side.as_ref().ok_or_else(|| JobFailure::engine("There are no editions here."))
    }

    fn searched(&self) -> Result<FinishedSearch<'_>, JobFailure> {
        let (Some(answer), Some(found)) = (&self.answer, &self.found) else { return Err(JobFailure::engine("There are no hits here.")) };
        Ok(FinishedSearch { pair: self.pair()?, options: &self.options, answer, found })
    }

    /// Returns at most `len` hits from number `from` on. The computation cannot be cancelled; to stop it, the page
    /// terminates the worker.
    fn hits(&self, from: u64, len: u64) -> Result<Vec<Hit>, JobFailure> {
        let page = from..from.saturating_add(len);
        searcher(self.task)?.hits(&self.searched()?, page, &Cpu::SINGLE, &Run::new(&NoObserver)).map_err(Halt::failure)
    }

    fn profile(&self, from: u64, len: u64, points: usize) -> Result<Vec<ScoreSpan>, JobFailure> {
        let offsets = from..from.saturating_add(len);
        searcher(self.task)?.profile(&self.searched()?, offsets, points, &Run::new(&NoObserver)).map_err(Halt::failure)
    }

    /// Searches for the substring of `b` that is nearest to `a`, for a result of any task. Returns a page with the
    /// first such substring and `context` symbols of text before and after it. The page is empty if the search would
    /// take more than [`MAX_NEAREST_CELLS`] cells.
    fn nearest(&self, context: u64) -> Result<HitPage, Halt> {
        let pair = self.pair()?;
        if pair.cells() > MAX_NEAREST_CELLS {
            return Ok(HitPage::default());
        }
        let (searcher, options, run) = (searcher(Task::ApproximateSearch)?, JobOptions::default(), Run::new(&NoObserver));
        let Solution { answer, found, .. } = searcher.cpu(&Cpu::SINGLE, pair, &options, &run)?;
        let found = found.unwrap_or_default();
        let searched = FinishedSearch { pair, options: &options, answer: &answer, found: &found };
        HitPage::page(searcher, &searched, 0..1, context, &Cpu::SINGLE, &run)
    }

    /// Aligns hit number `number` and stores the alignment for later queries.
    ///
    /// # Errors
    /// Returns an error if the hit does not exist, or if its alignment has another distance than the hit.
    fn open(&mut self, number: u64) -> Result<(Hit, AlignmentSummary), JobFailure> {
        let hit = *self.hits(number, 1)?.first().ok_or_else(|| JobFailure::engine("There is no such hit."))?;
        let (alignment, summary) = self.align(hit)?;
        if summary.distance() != hit.distance {
            return Err(JobFailure::engine("The alignment of this hit does not have the hit's distance."));
        }
        self.show(alignment, OpenedAlignment::Hit(number))?;
        Ok((hit, summary))
    }

    /// Aligns `a` with `b` at `offset` without gaps, and stores the alignment for later queries.
    fn open_offset(&mut self, offset: u64) -> Result<AlignmentSummary, JobFailure> {
        if self.task != Task::MatchCount {
            return Err(JobFailure::engine("Only match count lays one text over the other."));
        }
        let end = offset.saturating_add(self.pair()?.a.len() as u64);
        let (alignment, summary) = self.align(Hit::new(offset, end, 0))?;
        self.show(alignment, OpenedAlignment::Offset(offset))?;
        Ok(summary)
    }

    /// Stores `alignment`, which belongs to the hit or offset `opened`, together with the texts in the orientation in
    /// which they were aligned.
    fn show(&mut self, alignment: Alignment, opened: OpenedAlignment) -> Result<(), JobFailure> {
        self.reverse_pair = match alignment.strand() {
            Some(Strand::Reverse) => Some(self.pair()?.reversed()?),
            Some(Strand::Forward) | None => None,
        };
        (self.alignment, self.side_by_side, self.opened) = (Some(alignment), None, Some(opened));
        Ok(())
    }

    /// Aligns `a` with the range of `hit` in `b`, and checks that the alignment fits the texts.
    fn align(&self, hit: Hit) -> Result<(Alignment, AlignmentSummary), JobFailure> {
        let pair = self.pair()?;
        let alignment =
            searcher(self.task)?.align(pair, hit, self.options.gaps, &Cpu::SINGLE, &Run::new(&NoObserver)).map_err(Halt::failure)?;
        check(&alignment, &pair.for_strand(hit.strand)?, [0..pair.a.len(), hit.start as usize..hit.end as usize])?;
        let summary = alignment.summary();
        Ok((alignment, summary))
    }

    /// Writes the stored result as a file in `format`. `columns` is a range of columns of the alignment (first column
    /// and number of columns), which only a picture uses.
    pub(crate) fn file(&self, format: ExportFormat, columns: (u64, u64)) -> QueryReply {
        match format {
            ExportFormat::Aligned(form) => {
                let score = self.answer.as_ref().and_then(TaskAnswer::alignment_score);
                let scored = score.map(|score| (score, self.options.scoring()));
                let next = self.answer.as_ref().map(TaskAnswer::next_pieces).unwrap_or_default();
                let costs = (self.task == Task::EditDistance).then_some(&self.options.costs);
                files::aligned(form, self.reverse_pair.as_ref().or(self.pair.as_ref()), (self.alignment()?, scored, next), columns, costs)
            }
            ExportFormat::Json => {
                serde_json::to_vec(&self.document()).map_err(|error| JobFailure::engine(format!("The JSON could not be written: {error}.")))
            }
            ExportFormat::Listed(FindingsFormat::Scores) => self.profile_csv(),
            ExportFormat::Listed(form) => {
                let (pair, searcher) = (self.pair()?, searcher(self.task)?);
                let align = |hit: Hit| searcher.align(pair, hit, self.options.gaps, &Cpu::SINGLE, &Run::new(&NoObserver));
                let file = HitFile::new(form, pair, self.options.strands)?;
                files::hits(&file, self.searched()?.found.positions.len(), |from, len| self.hits(from, len), &align)
            }
        }
    }

    /// Returns the JSON document of the result, without the texts. It equals the document that the server returns.
    fn document(&self) -> ResultDocument<'_> {
        let [of_a, of_b] = self.run_info.as_ref().map(|ran| ran.choices.clone()).unwrap_or_default();
        let info = |text: Option<&Text>, choice: RecordChoice| {
            let Some(text) = text else { return TextInfo { choice, ..TextInfo::default() } };
            let (name, blake3) = (text.name().map(str::to_owned), Some(blake3::hash(text.bytes()).to_hex().to_string()));
            TextInfo { name, symbols: text.len() as u64, bytes: text.original_bytes(), choice, upload: None, blake3 }
        };
        ResultDocument {
            task: self.task,
            options: self.options.clone(),
            a: info(self.pair.as_ref().map(|pair| &pair.a), of_a),
            b: info(self.pair.as_ref().map(|pair| &pair.b), of_b),
            reading: self.pair.as_ref().map(PairReadReport::from),
            answer: self.answer.clone(),
            metrics: self.run_info.iter().flat_map(|ran| ran.metrics.iter().cloned()).collect(),
            hit: self.opened.and_then(|opened| match opened {
                OpenedAlignment::Hit(number) => Some(number),
                OpenedAlignment::Offset(_) => None,
            }),
            b_start: self.opened.and(self.alignment.as_ref()).map(Alignment::b_start),
            cigar: self.alignment.as_ref(),
        }
    }

    /// Writes a file with the score at every offset of match count, one per line.
    fn profile_csv(&self) -> Result<Vec<u8>, JobFailure> {
        let scored = Some(self.task).filter(|task| *task == Task::MatchCount);
        let all =
            scored.and(searcher(self.task)?.offsets(&self.searched()?)).ok_or_else(|| JobFailure::engine("There are no scores here."))?;
        let mut out = csv::scores_header(&self.pair()?.b).to_owned();
        let names = csv::RecordNames::from_text(&self.pair()?.b);
        for from in (0..all).step_by(SCORES_PER_FETCH as usize) {
            let spans = self.profile(from, SCORES_PER_FETCH.min(all - from), SCORES_PER_FETCH as usize)?;
            csv::scores(&mut out, self.pair()?, &names, from, &spans)
                .map_err(|_| JobFailure::engine("The scores could not be written."))?;
        }
        Ok(out.into_bytes())
    }
}

/// Returns the ranges of `a` and of `b` that the alignment of `answer` covers: the whole texts, except for
/// `sequence-alignment`.
fn aligned_ranges(answer: &TaskAnswer, pair: &Pair) -> [Range<usize>; 2] {
    match answer {
        TaskAnswer::SequenceAlignment { a, b, .. } => [a.indices(), b.indices()],
        TaskAnswer::EditDistance { .. }
        | TaskAnswer::Lcs { .. }
        | TaskAnswer::ApproximateSearch { .. }
        | TaskAnswer::MatchCount { .. }
        | TaskAnswer::ExactSearch { .. } => [0..pair.a.len(), 0..pair.b.len()],
    }
}

/// Checks that the alignment fits these ranges of the texts.
fn check(alignment: &Alignment, pair: &Pair, [in_a, in_b]: [Range<usize>; 2]) -> Result<(), JobFailure> {
    let checked = with_symbols!(pair, |a, b| {
        alignment.check_match(a.get(in_a).unwrap_or_default(), b.get(in_b).unwrap_or_default(), pair.symbol_match)
    });
    checked.map_err(|misfit| JobFailure::engine(format!("The alignment does not fit the texts at {misfit}.")))
}

/// Returns the numbers of the rows that have a difference if each row has `width` columns, ascending. For s runs of
/// equal edits, takes O(s + returned rows) time.
pub(super) fn rows(alignment: &Alignment, width: u64) -> Vec<u32> {
    let mut rows: Vec<u32> = Vec::new();
    let mut column = 0u64;
    for stretch in alignment.cigar_ops() {
        let end = column + u64::from(stretch.len);
        if stretch.edit != EditKind::Equal {
            let first = (column / width) as u32;
            let next = rows.last().map_or(0, |last| last + 1);
            rows.extend(first.max(next)..=((end - 1) / width) as u32);
        }
        column = end;
    }
    rows
}
