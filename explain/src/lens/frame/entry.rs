//! Cells of a drawing ([`PanelCell`]): the values that they show ([`ShownValue`]), their marks ([`LensMark`]), and
//! their names ([`LensLabel`]).

use kernels::job::Points;

/// The value that a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownValue {
    /// An empty cell, because there is no value or because the value was dropped.
    #[default]
    Nothing,
    /// A sign for a value that is not known yet.
    Unknown,
    /// The sign ε of the empty text.
    Empty,
    /// The sign of a gap in an alignment.
    Gap,
    /// The symbol of `a` at this position, from 0.
    A(usize),
    /// The symbol of `b` at this position, from 0.
    B(usize),
    /// A number.
    Number(u32),
    /// A number that may be negative, such as that of a diagonal.
    Signed(Points),
    /// The value −∞ of a matrix cell in which no alignment ends.
    Unreachable,
    /// A bit: 0 or 1.
    Bit(bool),
}

/// A mark: the role of a cell, bar, rectangle, line or sum in a step. The page shows each mark by a colour and by
/// another visible sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LensMark {
    /// Computed or created in this step.
    New,
    /// Read in this step.
    Read,
    /// Computed in an earlier step and still in memory.
    Kept,
    /// No longer in memory.
    Dropped,
    /// Computed more than once; [`PanelCell::computed_times`] is the number of times.
    Again,
    /// Not computed or not reached yet.
    Ahead,
    /// A thread that has no work in this step.
    Idle,
    /// In the overlap of two slices or pieces of the text.
    Overlap,
    /// Chosen by this step.
    Chosen,
    /// Not chosen by this step, but as good as the chosen one; for example another sum with the same value.
    Also,
    /// Compared in this step.
    Compared,
    /// Compared with an equal symbol, or an equal pair of an alignment.
    Equal,
    /// Compared with a different symbol.
    Different,
    /// Known to be equal to the symbol of the other text without a comparison.
    Known,
    /// A substitution of an alignment.
    Substituted,
    /// An insertion of an alignment: a symbol of `b` only.
    Inserted,
    /// A deletion of an alignment: a symbol of `a` only.
    Deleted,
    /// The part of the drawing that this step works on.
    Open,
    /// A part of the drawing that earlier steps worked on.
    Earlier,
    /// On the path through the matrix, or part of the answer.
    Path,
    /// Part of an occurrence of the pattern, or a best value.
    Found,
    /// A counter that is output in this step and then dropped.
    Leaves,
    /// Changed by a carry from the previous word.
    Carried,
    /// A memory bank in which two requests conflict.
    Conflict,
}

/// A set of marks, because one cell can have several.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct LensMarkSet(u32);

/// One cell of a grid or of a row, or the content of a range in a chart: a value, marks, and the thread or word that it
/// belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanelCell {
    /// Shown value.
    pub value: ShownValue,
    /// Marks of the cell in this step.
    pub marks: LensMarkSet,
    /// Number of times that the cell was computed up to this step; 0 if this is not counted.
    pub computed_times: u8,
    /// Number, from 0, of the thread, warp, block, word or stream to which the cell belongs; `None` if it belongs to
    /// none.
    pub owner: Option<u16>,
}

/// The name of a row, a bar or a tick, with an optional index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LensLabel {
    /// A key of the catalogue of translated sentences, or an identifier if `is_code` is set; may be empty.
    pub text: &'static str,
    /// Whether `text` is an identifier from the shown pseudo-code, which is not translated.
    pub is_code: bool,
    /// The number or symbol that follows the name as its index, as in "thread 3" or `E[a]`.
    pub index: ShownValue,
}

impl LensMark {
    /// Every mark.
    pub const ALL: [Self; 24] = [
        Self::New,
        Self::Read,
        Self::Kept,
        Self::Dropped,
        Self::Again,
        Self::Ahead,
        Self::Idle,
        Self::Overlap,
        Self::Chosen,
        Self::Also,
        Self::Compared,
        Self::Equal,
        Self::Different,
        Self::Known,
        Self::Substituted,
        Self::Inserted,
        Self::Deleted,
        Self::Open,
        Self::Earlier,
        Self::Path,
        Self::Found,
        Self::Leaves,
        Self::Carried,
        Self::Conflict,
    ];

    /// Returns the name of the mark in CSS classes and in the catalogue of translated sentences.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Read => "read",
            Self::Kept => "kept",
            Self::Dropped => "dropped",
            Self::Again => "again",
            Self::Ahead => "ahead",
            Self::Idle => "idle",
            Self::Overlap => "overlap",
            Self::Chosen => "chosen",
            Self::Also => "also",
            Self::Compared => "compared",
            Self::Equal => "equal",
            Self::Different => "different",
            Self::Known => "known",
            Self::Substituted => "substituted",
            Self::Inserted => "inserted",
            Self::Deleted => "deleted",
            Self::Open => "open",
            Self::Earlier => "earlier",
            Self::Path => "path",
            Self::Found => "found",
            Self::Leaves => "leaves",
            Self::Carried => "carried",
            Self::Conflict => "conflict",
        }
    }
}

impl LensMarkSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns whether `mark` is in the set.
    pub fn has(self, mark: LensMark) -> bool {
        self.0 >> mark as u32 & 1 == 1
    }

    /// Returns the set with `mark` added.
    #[must_use]
    pub fn with(self, mark: LensMark) -> Self {
        Self(self.0 | 1 << mark as u32)
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the marks of the set, in the order of [`LensMark::ALL`].
    pub fn iter(self) -> impl Iterator<Item = LensMark> {
        LensMark::ALL.into_iter().filter(move |mark| self.has(*mark))
    }
}

impl std::fmt::Debug for LensMarkSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl PanelCell {
    /// Creates a cell without marks that shows `shows`.
    pub fn new(shows: ShownValue) -> Self {
        Self { value: shows, ..Self::default() }
    }

    /// Creates a cell that shows a number that may be negative.
    pub fn signed(number: impl Into<Points>) -> Self {
        Self::new(ShownValue::Signed(number.into()))
    }

    /// Creates a cell that shows a number.
    pub fn number(number: impl TryInto<u32>) -> Self {
        Self::new(ShownValue::Number(number.try_into().unwrap_or(u32::MAX)))
    }

    /// Returns the cell with `mark` added to its marks.
    #[must_use]
    pub fn with_mark(self, mark: LensMark) -> Self {
        Self { marks: self.marks.with(mark), ..self }
    }

    /// Returns the cell with `mark` added to its marks if `is_so` is set, and otherwise unchanged.
    #[must_use]
    pub fn mark_if(self, is_so: bool, mark: LensMark) -> Self {
        if is_so { self.with_mark(mark) } else { self }
    }

    /// Adds `mark` to the marks of the cell.
    pub fn add(&mut self, mark: LensMark) {
        self.marks = self.marks.with(mark);
    }
}

impl LensLabel {
    /// The empty name.
    pub const NONE: Self = Self { text: "", is_code: false, index: ShownValue::Nothing };

    /// Creates a name from `text`, a key of the catalogue of translated sentences.
    pub const fn key(text: &'static str) -> Self {
        Self { text, is_code: false, index: ShownValue::Nothing }
    }

    /// Creates a name from `text`, an identifier of the shown pseudo-code.
    pub const fn code(text: &'static str) -> Self {
        Self { text, is_code: true, index: ShownValue::Nothing }
    }

    /// Returns the name with `of` as its index.
    #[must_use]
    pub const fn with_index(self, of: ShownValue) -> Self {
        Self { index: of, ..self }
    }
}
