//! Location of a result, and addresses of the result's parts on the server.

use crate::model::form::FormSide;

/// The location of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultLocation {
    /// The worker of this page, under the number of its request.
    Here(u64),
    /// A job of the server, by its id.
    Job(String),
    /// A stored result, by its id.
    Link(String),
    /// One hit of a search, by its number, with its own alignment. On this device only the hit opened last is
    /// available.
    Hit(Box<Self>, u64),
    /// One text laid over the other at an offset. On this device only the offset opened last is available.
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

    /// Returns the address of a whole text on the server.
    pub fn file(&self, which: FormSide) -> String {
        format!("{}/texts/{}/file", self.parts(), which.name())
    }

    /// Returns the address of the result under the API, to which names of parts are appended. Empty for a local result.
    pub fn parts(&self) -> String {
        match self {
            Self::Here(_) => String::new(),
            Self::Job(id) => format!("/api/v1/jobs/{id}"),
            Self::Link(id) => format!("/api/v1/links/{id}"),
            Self::Hit(of, _) | Self::Offset(of, _) => of.parts(),
        }
    }

    /// Returns the address of a part of the result, with `query` and the selected hit or offset.
    pub fn part(&self, name: &str, query: &str) -> String {
        let which = match self {
            Self::Hit(_, number) => format!("hit={number}"),
            Self::Offset(_, offset) => format!("offset={offset}"),
            Self::Here(_) | Self::Job(_) | Self::Link(_) => String::new(),
        };
        let asked: Vec<&str> = [query, &which].into_iter().filter(|part| !part.is_empty()).collect();
        let mark = if asked.is_empty() { "" } else { "?" };
        format!("{}/{name}{mark}{}", self.parts(), asked.join("&"))
    }
}
