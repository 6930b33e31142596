//! Where a result is, and the addresses of its parts where the server has it.

use crate::model::form::Which;

/// Where a result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// In the worker, which keeps the result of this ask.
    Here(u64),
    /// With a job of the server.
    Job(String),
    /// With a stored result.
    Link(String),
    /// One hit of a search, by its number: its own alignment. A hit of this device is the one that was opened last.
    Hit(Box<Self>, u64),
    /// One text laid over the other at an offset. On this device it is the one that was laid last.
    Offset(Box<Self>, u64),
}

impl At {
    /// Whether the worker has the result and its texts.
    pub fn is_here(&self) -> bool {
        match self {
            Self::Here(_) => true,
            Self::Hit(of, _) | Self::Offset(of, _) => of.is_here(),
            Self::Job(_) | Self::Link(_) => false,
        }
    }

    /// Address of a whole text of the server's.
    pub fn file(&self, which: Which) -> String {
        format!("{}/texts/{}/file", self.parts(), which.name())
    }

    /// Address under the API where the result's parts are.
    pub fn parts(&self) -> String {
        match self {
            Self::Here(_) => String::new(),
            Self::Job(id) => format!("/api/v1/jobs/{id}"),
            Self::Link(id) => format!("/api/v1/links/{id}"),
            Self::Hit(of, _) | Self::Offset(of, _) => of.parts(),
        }
    }

    /// Address of a part, with what is asked of it.
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
