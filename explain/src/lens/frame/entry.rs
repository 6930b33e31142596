//! What a cell shows and what it is: values, marks and names.

/// What a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Nothing: the cell has no value, or it was dropped.
    #[default]
    Nothing,
    /// That the value is not known yet.
    Unknown,
    /// The empty text, ε.
    Empty,
    /// A gap of an alignment.
    Gap,
    /// The symbol of `a` at a position, from 0.
    A(usize),
    /// The symbol of `b` at a position, from 0.
    B(usize),
    /// A number.
    Number(u32),
    /// A bit.
    Bit(bool),
}

/// What a cell, bar, rectangle or sum is in this step. Each needs a second sign beside its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Made in this step.
    New,
    /// Read in this step.
    Read,
    /// Still in memory.
    Kept,
    /// No longer in memory.
    Dropped,
    /// Computed a second time or more; [`Entry::times`] says how often.
    Again,
    /// Still to come.
    Ahead,
    /// A thread without work.
    Idle,
    /// In two slices or pieces.
    Overlap,
    /// What the step decides for.
    Chosen,
    /// As good as what was chosen.
    Also,
    /// Compared in this step.
    Compared,
    /// Compared and equal.
    Equal,
    /// Compared and different.
    Different,
    /// Known to be equal without a comparison.
    Known,
    /// Of an alignment: a symbol for another one.
    Substituted,
    /// Of an alignment: a symbol of `b` alone.
    Inserted,
    /// Of an alignment: a symbol of `a` alone.
    Deleted,
    /// The part under work.
    Open,
    /// A part that was worked on earlier.
    Earlier,
    /// On the path, or of the answer.
    Path,
    /// An occurrence or a best value.
    Found,
    /// Leaves the picture with this step: a counter that is handed out.
    Leaves,
    /// Changed by a carry from the word before.
    Carried,
    /// Two requests meet in a bank.
    Conflict,
}

/// A set of marks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Marks(u32);

/// A cell of a grid, tape or lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What it shows.
    pub shows: Shown,
    /// What it is in this step.
    pub marks: Marks,
    /// How often it was computed so far; 0 where that is not counted.
    pub times: u8,
    /// The warp, block, lane or stream that it is of, from 0.
    pub of: Option<u16>,
}

/// A name: of a row, a bar or a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// A key of the catalogue, or as it stands if it is code; may be empty.
    pub text: &'static str,
    /// Whether it is a name from the code, which is not translated.
    pub is_code: bool,
    /// What it is of: "thread 3", `E[a]`.
    pub of: Shown,
}

impl Mark {
    /// All marks.
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

    /// Its name, for classes and the catalogue.
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

impl Marks {
    /// None.
    pub const NONE: Self = Self(0);

    /// Whether a mark is among them.
    pub fn has(self, mark: Mark) -> bool {
        self.0 >> mark as u32 & 1 == 1
    }

    /// These and another one.
    #[must_use]
    pub fn with(self, mark: Mark) -> Self {
        Self(self.0 | 1 << mark as u32)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them, in the order of [`Mark::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Mark> {
        Mark::ALL.into_iter().filter(move |mark| self.has(*mark))
    }
}

impl std::fmt::Debug for Marks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Entry {
    /// A cell without marks.
    pub fn new(shows: Shown) -> Self {
        Self { shows, ..Self::default() }
    }

    /// A cell with a number.
    pub fn number(number: impl TryInto<u32>) -> Self {
        Self::new(Shown::Number(number.try_into().unwrap_or(u32::MAX)))
    }

    /// The same with a mark.
    #[must_use]
    pub fn mark(self, mark: Mark) -> Self {
        Self { marks: self.marks.with(mark), ..self }
    }

    /// The same with a mark where a condition holds.
    #[must_use]
    pub fn mark_if(self, is_so: bool, mark: Mark) -> Self {
        if is_so { self.mark(mark) } else { self }
    }

    /// Marks it.
    pub fn add(&mut self, mark: Mark) {
        self.marks = self.marks.with(mark);
    }
}

impl Label {
    /// No name.
    pub const NONE: Self = Self { text: "", is_code: false, of: Shown::Nothing };

    /// A key of the catalogue.
    pub const fn key(text: &'static str) -> Self {
        Self { text, is_code: false, of: Shown::Nothing }
    }

    /// A name from the code.
    pub const fn code(text: &'static str) -> Self {
        Self { text, is_code: true, of: Shown::Nothing }
    }

    /// The same of a number or symbol.
    #[must_use]
    pub const fn of(self, of: Shown) -> Self {
        Self { of, ..self }
    }
}
