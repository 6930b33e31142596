//! The choices of the visitor in the view of an answer: [`CollectionView`].

/// Order of the rows of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// Similar texts together.
    #[default]
    Tree,
    Given,
    Name,
    Length,
}

impl RowOrder {
    pub const ALL: [Self; 4] = [Self::Tree, Self::Given, Self::Name, Self::Length];

    /// Returns the name of the order in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Given => "given",
            Self::Name => "name",
            Self::Length => "length",
        }
    }
}

/// A view of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Overview,
    Pairs,
}

/// The choices of the visitor in the view of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionView {
    /// The chosen threshold: per cent, edits or points. `None` for the suggested one.
    pub threshold: Option<i32>,
    pub order: RowOrder,
    /// The chosen pair of texts.
    pub chosen: Option<(usize, usize)>,
    pub tab: Tab,
    /// Whether the names of texts are shown.
    pub has_names: bool,
}

impl Default for CollectionView {
    fn default() -> Self {
        Self { threshold: None, order: RowOrder::Tree, chosen: None, tab: Tab::Overview, has_names: true }
    }
}
