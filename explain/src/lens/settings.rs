//! Settings: the values of the parameters of a lens ([`LensSettings`]), and their encoding as a short text in links.
//!
//! ```text
//! text    = item { "," item }          in any order, each key once at most
//! item    = key ":" value
//! value   = number | name | number { "." number }
//! ```
//!
//! A missing parameter has its default value, and default values are not written. So an empty text means that all
//! parameters have their default values.

use super::LensName;

/// A parameter of a lens that the reader can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensParameter {
    /// Key of the parameter in links and in the catalogue of translated sentences.
    pub key: &'static str,
    /// Allowed values and default value.
    pub kind: ParameterKind,
}

/// The allowed values of a parameter, with the default value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Number {
        /// Minimum of the number.
        min: u32,
        /// Maximum of the number.
        max: u32,
        /// Default value.
        default_value: u32,
    },
    /// One of the names in this list; the first one is the default.
    Choice(&'static [&'static str]),
    /// A list of whole numbers.
    Numbers {
        /// Maximum number of elements.
        max_len: usize,
        /// Maximum of each element; the minimum is 0.
        greatest: u32,
        /// Default list.
        default_list: &'static [u32],
    },
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// A number.
    Number(u32),
    /// The index of the chosen name in the list of [`ParameterKind::Choice`].
    Choice(usize),
    /// A list of numbers.
    Numbers(Vec<u32>),
}

/// The values of all parameters of one lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LensSettings {
    name: LensName,
    /// Values in the order of [`LensName::parameters`].
    values: Vec<ParameterValue>,
}

/// The reason why a text cannot be parsed as the settings of a lens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LensSettingsError {
    /// The lens has no parameter with this key.
    #[error("This view has no parameter {0}.")]
    Key(String),
    /// A parameter is given twice.
    #[error("{0} is given twice.")]
    Twice(&'static str),
    /// A value is not a whole number within its limits.
    #[error("{key} is a whole number from {least} to {most}.")]
    Number {
        /// Key of the parameter.
        key: &'static str,
        /// Minimum of the value.
        least: u32,
        /// Maximum of the value.
        most: u32,
    },
    /// A value is not among the names that the parameter allows.
    #[error("{key} has no value of this name.")]
    Choice {
        /// Key of the parameter.
        key: &'static str,
        /// Allowed names.
        names: &'static [&'static str],
    },
    /// A value is not a list of whole numbers within its limits.
    #[error("{key} are at most {most} whole numbers up to {greatest}, with dots between them.")]
    Numbers {
        /// Key of the parameter.
        key: &'static str,
        /// Maximum number of elements.
        most: usize,
        /// Maximum of each element.
        greatest: u32,
    },
}

impl LensParameter {
    /// Creates a parameter that is a number from `least` to `most`, with the default value `usual`.
    pub(super) const fn number(key: &'static str, least: u32, most: u32, usual: u32) -> Self {
        Self { key, kind: ParameterKind::Number { min: least, max: most, default_value: usual } }
    }

    /// Returns the default value of the parameter.
    pub fn default_value(&self) -> ParameterValue {
        match self.kind {
            ParameterKind::Number { default_value: usual, .. } => ParameterValue::Number(usual),
            ParameterKind::Choice(_) => ParameterValue::Choice(0),
            ParameterKind::Numbers { default_list: usual, .. } => ParameterValue::Numbers(usual.to_vec()),
        }
    }

    fn parse(&self, text: &str) -> Result<ParameterValue, LensSettingsError> {
        let key = self.key;
        match self.kind {
            ParameterKind::Number { min: least, max: most, .. } => {
                let number = whole(text).filter(|number| (least..=most).contains(number));
                number.map(ParameterValue::Number).ok_or(LensSettingsError::Number { key, least, most })
            }
            ParameterKind::Choice(names) => {
                names.iter().position(|name| *name == text).map(ParameterValue::Choice).ok_or(LensSettingsError::Choice { key, names })
            }
            ParameterKind::Numbers { max_len: most, greatest, .. } => {
                let numbers: Option<Vec<u32>> = match text {
                    "" => Some(Vec::new()),
                    text => text.split('.').map(|one| whole(one).filter(|number| *number <= greatest)).collect(),
                };
                let numbers = numbers.filter(|numbers| numbers.len() <= most);
                numbers.map(ParameterValue::Numbers).ok_or(LensSettingsError::Numbers { key, most, greatest })
            }
        }
    }
}

impl LensSettings {
    /// Returns the settings of a lens in which every parameter has its default value.
    pub fn defaults(name: LensName) -> Self {
        Self { name, values: name.parameters().iter().map(LensParameter::default_value).collect() }
    }

    /// Parses `text`, the settings of the lens `name` in a link.
    ///
    /// # Errors
    /// Returns an error if a key is unknown or given twice, or if a value is outside of its limits.
    ///
    /// ```
    /// use explain::lens::{LensName, settings::LensSettings};
    ///
    /// let settings = LensSettings::parse(LensName::Slices, "D:3").unwrap();
    /// assert_eq!((settings.number("D"), settings.text().as_str()), (3, "D:3"));
    /// assert!(LensSettings::parse(LensName::Slices, "D:0").is_err());
    /// ```
    pub fn parse(name: LensName, text: &str) -> Result<Self, LensSettingsError> {
        let parameters = name.parameters();
        let mut given: Vec<Option<ParameterValue>> = vec![None; parameters.len()];
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let (key, value) = item.split_once(':').unwrap_or((item, ""));
            let at =
                parameters.iter().position(|one| one.key == key).ok_or_else(|| LensSettingsError::Key(key.chars().take(20).collect()))?;
            if given[at].is_some() {
                return Err(LensSettingsError::Twice(parameters[at].key));
            }
            given[at] = Some(parameters[at].parse(value)?);
        }
        let values = given.into_iter().zip(parameters).map(|(given, one)| given.unwrap_or_else(|| one.default_value())).collect();
        Ok(Self { name, values })
    }

    /// Returns the name of the lens to which the settings belong.
    pub fn name(&self) -> LensName {
        self.name
    }

    /// Returns the text for the settings in a link. Parameters with their default value are left out.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (one, value) in self.name.parameters().iter().zip(&self.values) {
            if *value == one.default_value() {
                continue;
            }
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(one.key);
            text.push(':');
            match (value, one.kind) {
                (ParameterValue::Number(number), _) => text.push_str(&number.to_string()),
                (ParameterValue::Choice(at), ParameterKind::Choice(names)) => text.push_str(names[*at]),
                (ParameterValue::Choice(_), _) => {}
                (ParameterValue::Numbers(numbers), _) => {
                    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                    text.push_str(&numbers.join("."));
                }
            }
        }
        text
    }

    /// Returns the parameters with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static LensParameter, &ParameterValue)> {
        self.name.parameters().iter().zip(&self.values)
    }

    /// Returns the settings with the value of parameter `key` replaced by `value`, a text that a user typed.
    ///
    /// # Errors
    /// Returns the same errors as [`parse`](Self::parse).
    pub fn with(&self, key: &str, value: &str) -> Result<Self, LensSettingsError> {
        let parameters = self.name.parameters();
        let at = parameters.iter().position(|one| one.key == key).ok_or_else(|| LensSettingsError::Key(key.chars().take(20).collect()))?;
        let mut other = self.clone();
        other.values[at] = parameters[at].parse(value)?;
        Ok(other)
    }

    /// Returns the value of the number parameter `key`, or 0 if the lens has no such parameter.
    pub fn number(&self, key: &str) -> usize {
        match self.value(key) {
            Some(ParameterValue::Number(number)) => *number as usize,
            _ => 0,
        }
    }

    /// Returns the name of the option that is chosen for the choice parameter `key`, or an empty string if the lens has
    /// no choice parameter with this key.
    pub fn choice(&self, key: &str) -> &'static str {
        let found = self.iter().find(|(one, _)| one.key == key);
        match found.map(|(one, value)| (one.kind, value)) {
            Some((ParameterKind::Choice(names), ParameterValue::Choice(at))) => names[*at],
            _ => "",
        }
    }

    /// Returns the numbers of the list parameter `key`, or an empty list if the lens has no such parameter.
    pub fn numbers(&self, key: &str) -> &[u32] {
        match self.value(key) {
            Some(ParameterValue::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    fn value(&self, key: &str) -> Option<&ParameterValue> {
        self.iter().find(|(one, _)| one.key == key).map(|(_, value)| value)
    }
}

/// Parses a whole number. Returns `None` unless `text` consists of decimal digits only.
fn whole(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
