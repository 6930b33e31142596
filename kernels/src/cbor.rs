//! Cbor: binary encoding of the messages between the page and its Web Worker (RFC 8949: numbers, texts, bytes, arrays, null).
//!
//! Page and worker come from the same build, so messages contain no names. A struct is the array of its fields. A
//! variant is the array of its number and its fields, or the number alone if it has no fields. The server uses JSON
//! through `serde` instead. `serde` generates code for each type and format, which would enlarge the first download;
//! this module needs one call for each field.
//!
//! [`cbor_struct!`](crate::cbor_struct) and [`cbor_enum!`](crate::cbor_enum) implement [`Cbor`] for a type by naming
//! its fields. The compiler rejects a list that lacks a field.
//!
//! ```
//! use kernels::cbor::{from_bytes, to_bytes};
//! use kernels::found::Hit;
//!
//! let bytes = to_bytes(&Hit::new(3, 24, 1000));
//! assert_eq!(bytes, [0x85, 3, 24, 24, 0x19, 3, 232, 0xf6, 0xf6]);
//! assert_eq!(from_bytes(&bytes), Some(Hit::new(3, 24, 1000)));
//! ```

/// A type whose values can be written as CBOR (Concise Binary Object Representation) and read back.
pub trait Cbor: Sized {
    /// Appends the encoding of `self` to `out`.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads a value from the front of `from` and advances `from`. Returns `None` if the bytes encode no value of this
    /// type.
    fn read(from: &mut &[u8]) -> Option<Self>;

    /// Appends the encoding of the list `values` to `out`.
    #[inline(never)]
    fn write_list(values: &[Self], out: &mut Vec<u8>) {
        array(out, values.len() as u64);
        values.iter().for_each(|value| value.write(out));
    }

    /// Reads a list from the front of `from` and advances `from`, like [`read`](Self::read).
    #[inline(never)]
    fn read_list(from: &mut &[u8]) -> Option<Vec<Self>> {
        let len = number(from, ARRAY)?;
        // Each value takes at least one byte, so the capacity is bounded by the input.
        let mut values = Vec::with_capacity(from.len().min(len.try_into().ok()?));
        for _ in 0..len {
            values.push(Self::read(from)?);
        }
        Some(values)
    }
}

/// Returns the encoding of `value`.
pub fn to_bytes<T: Cbor>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out);
    out
}

/// Decodes the single value in `bytes`. Returns `None` if the bytes are invalid or longer than one value.
pub fn from_bytes<T: Cbor>(mut bytes: &[u8]) -> Option<T> {
    T::read(&mut bytes).filter(|_| bytes.is_empty())
}

/// Major type (kind of value in RFC 8949) of integers that are not negative.
const UNSIGNED: u8 = 0;
/// Major type (kind of value in RFC 8949) of negative integers. The head has −1 − n for the integer n.
const NEGATIVE: u8 = 1;
/// Major type (kind of value in RFC 8949) of byte strings.
const BYTES: u8 = 2;
/// Major type (kind of value in RFC 8949) of texts in UTF-8.
const TEXT: u8 = 3;
/// Major type (kind of value in RFC 8949) of arrays.
const ARRAY: u8 = 4;

/// Byte that encodes `false`.
const FALSE: u8 = 0xf4;
/// Byte that encodes `true`.
const TRUE: u8 = 0xf5;
/// Byte that encodes null, which stands for `None`.
const NULL: u8 = 0xf6;
/// Initial byte of a 64-bit float.
const FLOAT: u8 = 0xfb;

/// Appends the head of a value: the initial byte with the major type `major` (kind of value), and `number` in as few
/// bytes as possible. `number` is the value of an integer, otherwise a length.
#[inline(never)]
fn head(out: &mut Vec<u8>, major: u8, number: u64) {
    let (info, bytes) = match number {
        0..24 => (number as u8, 0),
        24..0x100 => (24, 1),
        0x100..0x1_0000 => (25, 2),
        0x1_0000..0x1_0000_0000 => (26, 4),
        _ => (27, 8),
    };
    out.push(major << 5 | info);
    out.extend_from_slice(&number.to_be_bytes()[8 - bytes..]);
}

/// Reads the head of a value (initial byte and number) from the front of `from`, advances `from`, and returns the
/// number. Returns `None` if the value is not of major type `major` (kind of value).
#[inline(never)]
fn number(from: &mut &[u8], major: u8) -> Option<u64> {
    let (&first, rest) = from.split_first()?;
    let bytes = match first ^ major << 5 {
        info @ 0..24 => {
            *from = rest;
            return Some(info.into());
        }
        info @ 24..28 => 1 << (info - 24),
        _ => return None,
    };
    let (number, rest) = rest.split_at_checked(bytes)?;
    *from = rest;
    Some(number.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// Appends a byte string or a text, whose major type (kind of value) is `major`: a head with the length, and `bytes`.
fn write_bytes(out: &mut Vec<u8>, major: u8, bytes: &[u8]) {
    head(out, major, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads a byte string or a text, whose major type (kind of value) is `major`, from the front of `from` and advances
/// `from`. Returns its bytes, or `None` if `from` begins with another value.
#[inline(never)]
fn read_bytes<'a>(from: &mut &'a [u8], major: u8) -> Option<&'a [u8]> {
    let len = number(from, major)?.try_into().ok()?;
    let (bytes, rest) = from.split_at_checked(len)?;
    *from = rest;
    Some(bytes)
}

/// Appends the head of an array of `len` elements to `out`. The caller appends the elements.
#[inline(never)]
pub fn array(out: &mut Vec<u8>, len: u64) {
    head(out, ARRAY, len);
}

/// Reads the head of an array from the front of `from` and advances `from`. Returns `None` unless the array has `len`
/// elements.
#[inline(never)]
pub fn array_of(from: &mut &[u8], len: u64) -> Option<()> {
    (number(from, ARRAY)? == len).then_some(())
}

/// Appends the start of the enum variant with the number `number` to `out`. The caller appends the fields, of which
/// there are `fields`.
#[inline(never)]
pub fn variant(out: &mut Vec<u8>, number: u64, fields: u64) {
    if fields > 0 {
        array(out, 1 + fields);
    }
    number.write(out);
}

/// Reads the start of an enum variant from the front of `from`, advances `from`, and returns the variant's number.
#[inline(never)]
pub fn variant_number(from: &mut &[u8]) -> Option<u64> {
    if from.first()? >> 5 == ARRAY {
        number(from, ARRAY)?;
    }
    u64::read(from)
}

/// Returns 1 for the name of a field, so that the macros can count fields by a sum.
pub const fn one(_: &str) -> u64 {
    1
}

/// Implements [`Cbor`] for a struct, given the names of all its fields.
#[macro_export]
macro_rules! cbor_struct {
    ($name:ty { $($field:ident),* $(,)? }) => {
        impl $crate::cbor::Cbor for $name {
            #[inline(never)]
            fn write(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $crate::cbor::array(out, const { 0 $(+ $crate::cbor::one(stringify!($field)))* });
                $($crate::cbor::Cbor::write($field, out);)*
            }

            #[inline(never)]
            fn read(from: &mut &[u8]) -> Option<Self> {
                $crate::cbor::array_of(from, const { 0 $(+ $crate::cbor::one(stringify!($field)))* })?;
                Some(Self { $($field: $crate::cbor::Cbor::read(from)?),* })
            }
        }
    };
}

/// Implements [`Cbor`] for an enum. The caller gives a number for each variant and a name for each field, even for the
/// field of a tuple variant.
#[macro_export]
macro_rules! cbor_enum {
    ($name:ty { $($number:literal $variant:ident $({ $($field:ident),+ $(,)? })? $(($only:ident))?),+ $(,)? }) => {
        impl $crate::cbor::Cbor for $name {
            #[inline(never)]
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $({ $($field),+ })? $(($only))? => {
                        let fields = const { 0 $($(+ $crate::cbor::one(stringify!($field)))+)? $(+ $crate::cbor::one(stringify!($only)))? };
                        $crate::cbor::variant(out, $number, fields);
                        $($($crate::cbor::Cbor::write($field, out);)+)?
                        $($crate::cbor::Cbor::write($only, out);)?
                    })+
                }
            }

            #[inline(never)]
            fn read(from: &mut &[u8]) -> Option<Self> {
                Some(match $crate::cbor::variant_number(from)? {
                    $($number => Self::$variant $({ $($field: $crate::cbor::Cbor::read(from)?),+ })? $(({
                        let $only = $crate::cbor::Cbor::read(from)?;
                        $only
                    }))?,)+
                    _ => return None,
                })
            }
        }
    };
}

impl Cbor for u64 {
    #[inline(never)]
    fn write(&self, out: &mut Vec<u8>) {
        head(out, UNSIGNED, *self);
    }

    #[inline(never)]
    fn read(from: &mut &[u8]) -> Option<Self> {
        number(from, UNSIGNED)
    }
}

/// Encodes a list as one byte string with 4 bytes for each number, little-endian, because lists of rows and of dots are
/// long.
impl Cbor for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(*self).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        u64::read(from)?.try_into().ok()
    }

    #[inline(never)]
    fn write_list(values: &[Self], out: &mut Vec<u8>) {
        write_bytes(out, BYTES, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    }

    #[inline(never)]
    fn read_list(from: &mut &[u8]) -> Option<Vec<Self>> {
        let (values, []) = read_bytes(from, BYTES)?.as_chunks() else { return None };
        Some(values.iter().copied().map(Self::from_le_bytes).collect())
    }
}

impl Cbor for i64 {
    #[inline(never)]
    fn write(&self, out: &mut Vec<u8>) {
        match u64::try_from(*self) {
            Ok(number) => head(out, UNSIGNED, number),
            Err(_) => head(out, NEGATIVE, self.unsigned_abs() - 1),
        }
    }

    #[inline(never)]
    fn read(from: &mut &[u8]) -> Option<Self> {
        let is_negative = from.first()? >> 5 == NEGATIVE;
        let number = Self::try_from(number(from, if is_negative { NEGATIVE } else { UNSIGNED })?).ok()?;
        Some(if is_negative { -1 - number } else { number })
    }
}

impl Cbor for i32 {
    fn write(&self, out: &mut Vec<u8>) {
        i64::from(*self).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        i64::read(from)?.try_into().ok()
    }
}

impl Cbor for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        u64::read(from)?.try_into().ok()
    }
}

impl Cbor for bool {
    #[inline(never)]
    fn write(&self, out: &mut Vec<u8>) {
        out.push(if *self { TRUE } else { FALSE });
    }

    #[inline(never)]
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (&first, rest) = from.split_first()?;
        *from = rest;
        match first {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }
}

impl Cbor for f64 {
    #[inline(never)]
    fn write(&self, out: &mut Vec<u8>) {
        out.push(FLOAT);
        out.extend_from_slice(&self.to_be_bytes());
    }

    #[inline(never)]
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (first, rest) = from.split_first_chunk::<9>()?;
        let [FLOAT, bytes @ ..] = *first else { return None };
        *from = rest;
        Some(Self::from_be_bytes(bytes))
    }
}

impl Cbor for String {
    #[inline(never)]
    fn write(&self, out: &mut Vec<u8>) {
        write_bytes(out, TEXT, self.as_bytes());
    }

    #[inline(never)]
    fn read(from: &mut &[u8]) -> Option<Self> {
        std::str::from_utf8(read_bytes(from, TEXT)?).ok().map(str::to_owned)
    }
}

impl<T: Cbor> Cbor for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            None => out.push(NULL),
            Some(value) => value.write(out),
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        match from.split_first()? {
            (&NULL, rest) => {
                *from = rest;
                Some(None)
            }
            _ => T::read(from).map(Some),
        }
    }
}

impl<T: Cbor> Cbor for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write_list(self, out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        T::read_list(from)
    }
}

impl<T: Cbor> Cbor for [T; 2] {
    fn write(&self, out: &mut Vec<u8>) {
        array(out, 2);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        array_of(from, 2)?;
        Some([T::read(from)?, T::read(from)?])
    }
}

impl<A: Cbor, B: Cbor> Cbor for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        array(out, 2);
        self.0.write(out);
        self.1.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        array_of(from, 2)?;
        Some((A::read(from)?, B::read(from)?))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::failure::{InputError, JobFailure};

    fn goes_and_comes<T: Cbor + PartialEq + Debug>(value: T) {
        let bytes = to_bytes(&value);
        assert_eq!(from_bytes(&bytes), Some(value), "{bytes:02x?}");
        for len in 0..bytes.len() {
            assert_eq!(from_bytes::<T>(&bytes[..len]), None, "{len} bytes of {bytes:02x?}");
        }
        assert_eq!(from_bytes::<T>(&[&bytes[..], &[0]].concat()), None);
    }

    /// Rows of the RFC's appendix A.
    #[test]
    fn numbers_and_texts_are_encoded_as_in_the_standard() {
        let numbers: [(u64, &[u8]); 9] = [
            (0, &[0x00]),
            (23, &[0x17]),
            (24, &[0x18, 0x18]),
            (100, &[0x18, 0x64]),
            (1000, &[0x19, 0x03, 0xe8]),
            (1_000_000, &[0x1a, 0x00, 0x0f, 0x42, 0x40]),
            (1_000_000_000_000, &[0x1b, 0x00, 0x00, 0x00, 0xe8, 0xd4, 0xa5, 0x10, 0x00]),
            (u64::MAX - 1, &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]),
            (u64::MAX, &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ];
        for (number, bytes) in numbers {
            assert_eq!(to_bytes(&number), bytes);
            goes_and_comes(number);
        }
        for (number, bytes) in
            [(0, vec![0x00]), (-1, vec![0x20]), (-10, vec![0x29]), (-100, vec![0x38, 0x63]), (-1000, vec![0x39, 0x03, 0xe7])]
        {
            assert_eq!(to_bytes::<i64>(&number), bytes);
        }
        assert_eq!(to_bytes(&1.1), [0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a]);
        assert_eq!(to_bytes(&String::from("ü")), [0x62, 0xc3, 0xbc]);
        assert_eq!(to_bytes(&vec![true, false]), [0x82, 0xf5, 0xf4]);
        assert_eq!(to_bytes(&None::<u64>), [0xf6]);
        assert_eq!(to_bytes(&vec![1u32]), [0x44, 1, 0, 0, 0]);
    }

    #[test]
    fn decoded_value_equals_the_encoded_one_and_bad_bytes_are_refused() {
        [0, 255, 256, 65_535, 65_536, u64::from(u32::MAX), 1 << 32].into_iter().for_each(goes_and_comes);
        [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX].into_iter().for_each(goes_and_comes);
        [i32::MIN, -24, -25, 1_000, i32::MAX].into_iter().for_each(goes_and_comes);
        [0.0, -1.5, f64::INFINITY, f64::MIN_POSITIVE].into_iter().for_each(goes_and_comes);
        goes_and_comes(vec![Some((1u32, "漢字".to_owned())), None]);
        goes_and_comes([vec![0usize; 300], vec![]]);
        goes_and_comes(vec![1u32, u32::MAX, 0]);
        goes_and_comes(JobFailure::TooLarge { what: "It".into(), got: u64::MAX, limit: 3 });
        goes_and_comes(JobFailure::Interrupted);
        let names = vec!["one".into(), String::new()];
        goes_and_comes(JobFailure::wrong("So.", InputError::SeveralRecords { text: "a".into(), records: 2, names }));
        assert_eq!(from_bytes::<u32>(&to_bytes(&(1u64 << 32))), None);
        assert_eq!((from_bytes::<i64>(&to_bytes(&u64::MAX)), from_bytes::<i32>(&to_bytes(&(-1i64 << 32)))), (None, None));
        assert_eq!(from_bytes::<String>(&[0x61, 0xff]), None, "no UTF-8");
        assert_eq!(from_bytes::<Vec<u32>>(&[0x43, 1, 0, 0]), None, "no 4 bytes a number");
        assert_eq!(from_bytes::<JobFailure>(&[17]), None, "no such variant");
        assert_eq!(from_bytes::<Vec<u64>>(&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), None, "more elements than bytes");
    }
}
