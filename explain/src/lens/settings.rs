//! Settings: the parameters of a lens, read from and written to the short text that a link carries.
//!
//! ```text
//! text    = item { "," item }          in any order, each key once at most
//! item    = key ":" value
//! value   = number | name | number { "." number }
//! ```
//!
//! What is not given is as usual, and what is as usual is not written: a lens without a text is the lens as it opens.

use super::Name;

/// A parameter of a lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its key, in links and in the catalogue.
    pub key: &'static str,
    /// What it can be.
    pub kind: Kind,
}

/// What a parameter can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number {
        /// At least.
        least: u32,
        /// At most.
        most: u32,
        /// Where none is given.
        usual: u32,
    },
    /// One of some names; the first where none is given.
    Choice(&'static [&'static str]),
    /// Some numbers, from 0 on.
    Numbers {
        /// How many, at most.
        most: usize,
        /// How great, at most.
        greatest: u32,
        /// Where none are given.
        usual: &'static [u32],
    },
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A number.
    Number(u32),
    /// The name with this place in the list of names.
    Choice(usize),
    /// Some numbers.
    Numbers(Vec<u32>),
}

/// The values of all parameters of a lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    name: Name,
    /// In the order of the parameters.
    values: Vec<Given>,
}

/// Why a text is no settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The lens has no such parameter.
    #[error("This view has no parameter {0}.")]
    Key(String),
    /// A parameter is given twice.
    #[error("{0} is given twice.")]
    Twice(&'static str),
    /// Not a whole number within limits.
    #[error("{key} is a whole number from {least} to {most}.")]
    Number {
        /// The parameter.
        key: &'static str,
        /// At least.
        least: u32,
        /// At most.
        most: u32,
    },
    /// None of its names.
    #[error("{key} has no value of this name.")]
    Choice {
        /// The parameter.
        key: &'static str,
        /// The names that it has.
        names: &'static [&'static str],
    },
    /// Not a list of whole numbers within limits.
    #[error("{key} are at most {most} whole numbers up to {greatest}, with dots between them.")]
    Numbers {
        /// The parameter.
        key: &'static str,
        /// How many, at most.
        most: usize,
        /// How great, at most.
        greatest: u32,
    },
}

impl Parameter {
    /// A number.
    pub(super) const fn number(key: &'static str, least: u32, most: u32, usual: u32) -> Self {
        Self { key, kind: Kind::Number { least, most, usual } }
    }

    /// Its value where none is given.
    pub fn usual(&self) -> Given {
        match self.kind {
            Kind::Number { usual, .. } => Given::Number(usual),
            Kind::Choice(_) => Given::Choice(0),
            Kind::Numbers { usual, .. } => Given::Numbers(usual.to_vec()),
        }
    }

    fn parse(&self, text: &str) -> Result<Given, Refused> {
        let key = self.key;
        match self.kind {
            Kind::Number { least, most, .. } => {
                let number = whole(text).filter(|number| (least..=most).contains(number));
                number.map(Given::Number).ok_or(Refused::Number { key, least, most })
            }
            Kind::Choice(names) => names.iter().position(|name| *name == text).map(Given::Choice).ok_or(Refused::Choice { key, names }),
            Kind::Numbers { most, greatest, .. } => {
                let numbers: Option<Vec<u32>> = match text {
                    "" => Some(Vec::new()),
                    text => text.split('.').map(|one| whole(one).filter(|number| *number <= greatest)).collect(),
                };
                let numbers = numbers.filter(|numbers| numbers.len() <= most);
                numbers.map(Given::Numbers).ok_or(Refused::Numbers { key, most, greatest })
            }
        }
    }
}

impl Settings {
    /// All as usual.
    pub fn usual(name: Name) -> Self {
        Self { name, values: name.parameters().iter().map(Parameter::usual).collect() }
    }

    /// Reads what a link carries.
    ///
    /// # Errors
    /// Where a key is unknown or given twice, or a value is not within its limits.
    ///
    /// ```
    /// use explain::lens::{Name, settings::Settings};
    ///
    /// let settings = Settings::parse(Name::Slices, "D:3").unwrap();
    /// assert_eq!((settings.number("D"), settings.text().as_str()), (3, "D:3"));
    /// assert!(Settings::parse(Name::Slices, "D:0").is_err());
    /// ```
    pub fn parse(name: Name, text: &str) -> Result<Self, Refused> {
        let parameters = name.parameters();
        let mut given: Vec<Option<Given>> = vec![None; parameters.len()];
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let (key, value) = item.split_once(':').unwrap_or((item, ""));
            let at = parameters.iter().position(|one| one.key == key).ok_or_else(|| Refused::Key(key.chars().take(20).collect()))?;
            if given[at].is_some() {
                return Err(Refused::Twice(parameters[at].key));
            }
            given[at] = Some(parameters[at].parse(value)?);
        }
        let values = given.into_iter().zip(parameters).map(|(given, one)| given.unwrap_or_else(|| one.usual())).collect();
        Ok(Self { name, values })
    }

    /// Whose they are.
    pub fn name(&self) -> Name {
        self.name
    }

    /// As a link carries them: what is not as usual.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (one, value) in self.name.parameters().iter().zip(&self.values) {
            if *value == one.usual() {
                continue;
            }
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(one.key);
            text.push(':');
            match (value, one.kind) {
                (Given::Number(number), _) => text.push_str(&number.to_string()),
                (Given::Choice(at), Kind::Choice(names)) => text.push_str(names[*at]),
                (Given::Choice(_), _) => {}
                (Given::Numbers(numbers), _) => {
                    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                    text.push_str(&numbers.join("."));
                }
            }
        }
        text
    }

    /// The parameters with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Parameter, &Given)> {
        self.name.parameters().iter().zip(&self.values)
    }

    /// The same with one of them read from what was typed.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn with(&self, key: &str, value: &str) -> Result<Self, Refused> {
        let parameters = self.name.parameters();
        let at = parameters.iter().position(|one| one.key == key).ok_or_else(|| Refused::Key(key.chars().take(20).collect()))?;
        let mut other = self.clone();
        other.values[at] = parameters[at].parse(value)?;
        Ok(other)
    }

    /// Value of a parameter that is a number; 0 if there is none.
    pub fn number(&self, key: &str) -> usize {
        match self.value(key) {
            Some(Given::Number(number)) => *number as usize,
            _ => 0,
        }
    }

    /// Name that was chosen; empty if there is none.
    pub fn choice(&self, key: &str) -> &'static str {
        let found = self.iter().find(|(one, _)| one.key == key);
        match found.map(|(one, value)| (one.kind, value)) {
            Some((Kind::Choice(names), Given::Choice(at))) => names[*at],
            _ => "",
        }
    }

    /// Numbers of a parameter that is a list; none if there is none.
    pub fn numbers(&self, key: &str) -> &[u32] {
        match self.value(key) {
            Some(Given::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    fn value(&self, key: &str) -> Option<&Given> {
        self.iter().find(|(one, _)| one.key == key).map(|(_, value)| value)
    }
}

/// A whole number in decimal digits alone.
fn whole(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
