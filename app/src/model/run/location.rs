//! Location of a result ([`ResultLocation`]), and the server's addresses of its parts, such as hits or an export.

use crate::model::form::FormSide;

/// The location of a result, or of an alignment that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultLocation {
    /// The worker of this page has the result, under the number of the request that solved it.
    Here(u64),
    /// The server has the result of the job with this id.
    Job(String),
    /// The server has the result stored under this id.
    Link(String),
    /// The alignment of one hit of a search: the location of the search's result, and the number of the hit. The worker
    /// has only the hit that was opened last.
    Hit(Box<Self>, u64),
    /// The alignment without gaps of a pattern with a text: the location of the result, and the offset of the pattern.
    /// The worker has only the offset that was opened last.
    Offset(Box<Self>, u64),
}

impl ResultLocation {
    /// Returns whether the worker of this page has the result and its texts.
    pub fn is_here(&self) -> bool {
        match self {
            Self::Here(_) => true,
            Self::Hit(of, _) | Self::Offset(of, _) => of.is_here(),
            Self::Job(_) | Self::Link(_) => false,
        }
    }

    /// Returns the server's address of the whole text `which` of this result.
    pub fn file(&self, which: FormSide) -> String {
        format!("{}/texts/{}/file", self.parts(), which.name())
    }

    /// Returns the beginning of the API addresses of the parts of this result, or an empty string for a local result.
    pub fn parts(&self) -> String {
        match self {
            Self::Here(_) => String::new(),
            Self::Job(id) => format!("/api/v1/jobs/{id}"),
            Self::Link(id) => format!("/api/v1/links/{id}"),
            Self::Hit(of, _) | Self::Offset(of, _) => of.parts(),
        }
    }

    /// Returns the API address of the part `path` of this result, which may have parameters. Adds the hit or offset of
    /// this location, if it has one.
    pub fn part(&self, path: &str) -> String {
        let parts = self.parts();
        let mark = if path.contains('?') { '&' } else { '?' };
        match self {
            Self::Hit(_, number) => format!("{parts}/{path}{mark}hit={number}"),
            Self::Offset(_, offset) => format!("{parts}/{path}{mark}offset={offset}"),
            Self::Here(_) | Self::Job(_) | Self::Link(_) => format!("{parts}/{path}"),
        }
    }
}
