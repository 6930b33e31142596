//! Varint: variable-length numbers (LEB128: seven bits a byte, lowest first), and a reader of bytes that may be
//! invalid.

use std::io;

/// Appends `number` to `out` as a varint of one to ten bytes.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends `number`, which may be negative, as a varint in zigzag form (0, -1, 1, -2 … become 0, 1, 2, 3 …).
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number.wrapping_shl(1) ^ (number >> 63)) as u64);
}

/// A reader of numbers and bytes from a slice. The field is the part of the slice that has not been read.
#[derive(Clone, Copy, Debug)]
pub struct VarintReader<'b>(pub &'b [u8]);

impl<'b> VarintReader<'b> {
    /// Returns whether all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the next varint.
    ///
    /// # Errors
    /// Returns `InvalidData` if the bytes end within the number, or if it has more than 64 bits.
    pub fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for (at, &byte) in self.0.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7F);
            if at == 9 && bits > 1 {
                break;
            }
            number |= bits << (7 * at);
            if byte < 0x80 {
                self.0 = &self.0[at + 1..];
                return Ok(number);
            }
        }
        Err(invalid_data("a number"))
    }

    /// Reads the next varint that [`put_signed`] wrote.
    ///
    /// # Errors
    /// Returns the errors of [`number`](Self::number).
    pub fn signed(&mut self) -> io::Result<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads the next `len` bytes.
    ///
    /// # Errors
    /// Returns `InvalidData` if fewer than `len` bytes are unread.
    pub fn bytes(&mut self, len: u64) -> io::Result<&'b [u8]> {
        let (taken, rest) =
            usize::try_from(len).ok().and_then(|len| self.0.split_at_checked(len)).ok_or_else(|| invalid_data("a length"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads the next eight bytes as a number, lowest byte first.
    ///
    /// # Errors
    /// Returns the errors of [`bytes`](Self::bytes).
    pub fn whole(&mut self) -> io::Result<u64> {
        let bytes = self.bytes(8)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

/// Creates the error for an invalid indexed file. `what` names the part of the file that is invalid.
pub fn invalid_data(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} in an indexed file is broken"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decoded_as_encoded() {
        let mut out = Vec::new();
        let (numbers, signed) = ([0, 1, 127, 128, 300, u32::MAX.into(), u64::MAX], [0, -1, 1, 63, -64, 64, i64::MIN, i64::MAX]);
        numbers.iter().for_each(|&number| put(&mut out, number));
        signed.iter().for_each(|&number| put_signed(&mut out, number));
        let mut reader = VarintReader(&out);
        assert_eq!(numbers.map(|_| reader.number().unwrap()), numbers);
        assert_eq!(signed.map(|_| reader.signed().unwrap()), signed);
        assert!(reader.is_empty() && reader.number().is_err() && reader.bytes(1).is_err() && reader.whole().is_err());
    }

    #[test]
    fn unterminated_numbers_are_refused() {
        for bytes in [&[0x80; 3][..], &[0xFF; 12], &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]] {
            assert!(VarintReader(bytes).number().is_err(), "{bytes:?}");
        }
    }
}
