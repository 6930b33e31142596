//! The decoder of gzip files (RFC 1952): [`GzipFileDecoder`] decodes their members, one after the other. bgzip writes
//! files of several members.

use std::io::Write as _;

use flate2::write::GzDecoder;

use super::{STEP_BYTES, UnpackError};

/// First bytes of a gzip member. The third byte is the compression method, of which gzip has only one.
const SIGNATURE: [u8; 3] = [0x1f, 0x8b, 8];

/// A decoder of the members of one gzip file, one after the other.
#[derive(Default)]
pub(super) struct GzipFileDecoder {
    state: GzipState,
    /// Bytes of the next member's signature that were read so far, until the signature is complete.
    partial_signature: Vec<u8>,
    has_member: bool,
}

/// The state of the decoder: where in the file the next byte is.
#[derive(Default)]
enum GzipState {
    /// Before a member.
    #[default]
    Between,
    /// Inside a member.
    Member(Box<GzDecoder<Vec<u8>>>),
    /// After the last member. The value is the number of bytes found there that are not gzip.
    Ignored(u64),
}

impl GzipFileDecoder {
    pub(super) fn push(&mut self, bytes: &[u8], content: &mut Vec<u8>) -> Result<usize, UnpackError> {
        let mut rest = bytes;
        while !rest.is_empty() && content.len() < STEP_BYTES {
            match &mut self.state {
                GzipState::Between => rest = self.find_member(rest)?,
                GzipState::Member(decoder) => {
                    let is_header = decoder.header().is_none();
                    // Writing to a vector cannot fail, so that all errors are format errors.
                    let taken = decoder.write(rest).map_err(|_| UnpackError::Damaged)?;
                    content.append(decoder.get_mut());
                    rest = &rest[taken..];
                    if taken == 0 && !is_header {
                        end_member(decoder, content)?;
                        self.state = GzipState::Between;
                    }
                }
                GzipState::Ignored(count) => {
                    *count += rest.len() as u64;
                    rest = &[];
                }
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// Consumes bytes between two members, from the beginning of `bytes`: zero bytes, with which tapes and some
    /// archivers fill the last block, and the signature of the next member. Returns the bytes that were not consumed.
    /// If there is no signature, all further bytes of the file are ignored.
    ///
    /// # Errors
    /// Returns an error if there is no signature at the beginning of the file.
    fn find_member<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], UnpackError> {
        let mut rest = bytes;
        if self.has_member && self.partial_signature.is_empty() {
            rest = &rest[rest.iter().take_while(|byte| **byte == 0).count()..];
        }
        while let (Some((byte, others)), true) = (rest.split_first(), self.partial_signature.len() < SIGNATURE.len()) {
            if *byte != SIGNATURE[self.partial_signature.len()] {
                if !self.has_member {
                    return Err(UnpackError::OtherFormat);
                }
                self.state = GzipState::Ignored(self.partial_signature.len() as u64);
                return Ok(rest);
            }
            self.partial_signature.push(*byte);
            rest = others;
        }
        if self.partial_signature.len() == SIGNATURE.len() {
            let mut decoder = Box::new(GzDecoder::new(Vec::new()));
            // The decoder parses the header when it is complete.
            decoder.write_all(&self.partial_signature).map_err(|_| UnpackError::Damaged)?;
            self.partial_signature.clear();
            self.has_member = true;
            self.state = GzipState::Member(decoder);
        }
        Ok(rest)
    }

    pub(super) fn finish(&mut self, content: &mut Vec<u8>) -> Result<u64, UnpackError> {
        match &mut self.state {
            GzipState::Between if self.has_member && self.partial_signature.len() < 2 => Ok(self.partial_signature.len() as u64),
            GzipState::Between => Err(UnpackError::CutOff),
            GzipState::Ignored(count) => Ok(*count),
            // A decoder that takes no further byte has decoded a complete member.
            GzipState::Member(decoder) => match (decoder.header().is_some(), decoder.write(&[0])) {
                (true, Ok(0)) => end_member(decoder, content).map(|()| 0),
                _ => Err(UnpackError::CutOff),
            },
        }
    }
}

/// Checks the length and the checksum of the member that `decoder` has decoded, and appends the rest of the member's
/// content to `content`.
fn end_member(decoder: &mut GzDecoder<Vec<u8>>, content: &mut Vec<u8>) -> Result<(), UnpackError> {
    decoder.try_finish().map_err(|_| UnpackError::WrongChecksum)?;
    content.append(decoder.get_mut());
    Ok(())
}
