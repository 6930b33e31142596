//! The decoder of Zstandard files (RFC 8878): [`ZstdFileDecoder`] decodes their frames, one after the other. Skippable
//! frames may stand between them, as in files of `pzstd`.

use std::io::Read as _;

use ruzstd::decoding::errors::{FrameDecoderError, FrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{FREE_WINDOW, MAX_WINDOW, STEP_BYTES, UnpackError, WindowPermission};

/// Signature of a frame, read as a little-endian number.
const SIGNATURE: u32 = 0xfd2f_b528;

/// The lowest of the 16 signatures of a skippable frame, which differ in the lowest four bits.
const SKIPPABLE: u32 = 0x184d_2a50;

/// Maximum size of a frame header, in bytes.
const MAX_HEADER: usize = 18;

/// Size of a block header, in bytes.
const BLOCK_HEADER: usize = 3;

/// Maximum size of a block, in bytes. Longer blocks are format errors.
const MAX_BLOCK: usize = 128 << 10;

/// Size of the checksum after the last block of a frame, in bytes.
const CHECKSUM: usize = 4;

/// A decoder of the frames of one Zstandard file, one after the other.
pub(super) struct ZstdFileDecoder {
    state: ZstdState,
    /// Bytes that were pushed and are not decoded yet: at most about two blocks with their headers.
    pending: Vec<u8>,
    has_frame: bool,
    window_permission: WindowPermission,
}

/// The state of the decoder: where in the file the next byte is.
enum ZstdState {
    /// Before a frame.
    Between,
    /// Inside a frame, before a block or at its end.
    Frame(Box<ZstdFrame>),
    /// Inside a skippable frame. The value is the number of its bytes that are still to be skipped.
    Skipped(u64),
}

struct ZstdFrame {
    decoder: FrameDecoder,
    has_checksum: bool,
    window: u64,
    is_window_granted: bool,
    /// Number of bytes of the frame's content that were unpacked so far.
    bytes: u64,
}

impl ZstdFileDecoder {
    pub(super) fn new(leave: WindowPermission) -> Self {
        Self { state: ZstdState::Between, pending: Vec::new(), has_frame: false, window_permission: leave }
    }

    pub(super) fn push(&mut self, bytes: &[u8], content: &mut Vec<u8>) -> Result<usize, UnpackError> {
        let mut rest = bytes;
        loop {
            self.decode(false, content)?;
            if rest.is_empty() || content.len() >= STEP_BYTES {
                return Ok(bytes.len() - rest.len());
            }
            // Copies at most one block's bytes at a time, so that `pending` stays small.
            let (piece, others) = rest.split_at(rest.len().min(MAX_BLOCK));
            self.pending.extend_from_slice(piece);
            rest = others;
        }
    }

    /// Decodes the rest of the file after its last byte was pushed, and appends to `content`. Returns whether all
    /// content is decoded. If not, the caller empties `content` and calls again.
    pub(super) fn finish(&mut self, content: &mut Vec<u8>) -> Result<bool, UnpackError> {
        self.decode(true, content)?;
        match self.state {
            _ if content.len() >= STEP_BYTES => Ok(false),
            ZstdState::Between if self.pending.is_empty() && self.has_frame => Ok(true),
            ZstdState::Between | ZstdState::Frame(_) | ZstdState::Skipped(_) => Err(UnpackError::CutOff),
        }
    }

    /// Decodes complete headers and blocks in `pending` and appends to `content`, until `content` has [`STEP_BYTES`]
    /// bytes. `is_end` tells that the file has no further bytes.
    fn decode(&mut self, is_end: bool, content: &mut Vec<u8>) -> Result<(), UnpackError> {
        let held = std::mem::take(&mut self.pending);
        let mut rest = &held[..];
        while content.len() < STEP_BYTES && self.step(&mut rest, is_end, content)? {}
        self.pending = rest.to_vec();
        Ok(())
    }

    /// Decodes one part of the file at the beginning of `rest`: a header, a block, or a checksum. Removes its bytes
    /// from `rest`, and appends decoded bytes to `content`. `is_end` tells that the file ends with `rest`. Returns
    /// `false` if `rest` has too few bytes.
    fn step(&mut self, rest: &mut &[u8], is_end: bool, content: &mut Vec<u8>) -> Result<bool, UnpackError> {
        match &mut self.state {
            ZstdState::Between => return self.begin(rest, is_end),
            ZstdState::Skipped(0) => self.state = ZstdState::Between,
            ZstdState::Skipped(left) => {
                let skipped = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *rest = &rest[skipped..];
                *left -= skipped as u64;
                return Ok(skipped > 0);
            }
            ZstdState::Frame(frame) if frame.decoder.can_collect() > 0 => frame.release_content(content)?,
            ZstdState::Frame(frame) if frame.decoder.is_finished() => {
                frame.check()?;
                self.state = ZstdState::Between;
            }
            ZstdState::Frame(frame) => {
                let Some(needed) = frame.next_block(rest).filter(|needed| *needed <= rest.len()) else { return Ok(false) };
                if frame.may_need_window() && !frame.is_window_granted {
                    frame.is_window_granted = (self.window_permission)(frame.window);
                    if !frame.is_window_granted {
                        return Err(UnpackError::NoMemory);
                    }
                }
                let mut block = &rest[..needed];
                frame.decoder.decode_blocks(&mut block, BlockDecodingStrategy::UptoBlocks(1)).map_err(of_decoder)?;
                *rest = &rest[needed - block.len()..];
            }
        }
        Ok(true)
    }

    /// Decodes the header of the next frame and removes its bytes from `rest`. `is_end` tells that the file ends with
    /// `rest`. Returns `false` if `rest` has too few bytes.
    fn begin(&mut self, rest: &mut &[u8], is_end: bool) -> Result<bool, UnpackError> {
        let Some((signature, after)) = rest.split_first_chunk() else {
            let may_be_one =
                SIGNATURE.to_le_bytes().starts_with(rest) || rest.get(1..).is_some_and(|rest| [0x2a, 0x4d, 0x18].starts_with(rest));
            return if is_end && !may_be_one { Err(self.other_bytes()) } else { Ok(false) };
        };
        let signature = u32::from_le_bytes(*signature);
        if signature & !0xf == SKIPPABLE {
            let Some((length, after)) = after.split_first_chunk() else { return Ok(false) };
            *rest = after;
            self.state = ZstdState::Skipped(u32::from_le_bytes(*length).into());
        } else if signature != SIGNATURE {
            return Err(self.other_bytes());
        } else {
            let (true, [descriptor, window, ..]) = (rest.len() >= MAX_HEADER || is_end, after) else { return Ok(false) };
            // A new decoder allocates memory as content arrives; a reused one allocates the whole window at once.
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(MAX_WINDOW);
            decoder.reset(&mut *rest).map_err(of_decoder)?;
            let is_single = descriptor & 0x20 != 0;
            let window = if is_single { decoder.content_size() } else { window_size(*window) };
            let has_checksum = descriptor & 4 != 0;
            self.state = ZstdState::Frame(Box::new(ZstdFrame { decoder, has_checksum, window, is_window_granted: false, bytes: 0 }));
        }
        self.has_frame = true;
        Ok(true)
    }

    fn other_bytes(&self) -> UnpackError {
        if self.has_frame { UnpackError::TrailingBytes } else { UnpackError::OtherFormat }
    }
}

/// Returns the size of a window in bytes, given the window descriptor in the frame's header (RFC 8878, 3.1.1.1.2).
fn window_size(descriptor: u8) -> u64 {
    let base = 1u64 << (10 + (descriptor >> 3));
    base + base / 8 * u64::from(descriptor & 7)
}

impl ZstdFrame {
    /// Returns the size in bytes of the frame's next block with its header, and with the checksum if it is the last
    /// block of the frame. `rest` begins with this block. Returns `None` if `rest` does not contain the whole header of
    /// the block.
    fn next_block(&self, rest: &[u8]) -> Option<usize> {
        let [low, middle, high] = *rest.first_chunk::<BLOCK_HEADER>()?;
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let (is_last, kind, size) = (header & 1 == 1, (header >> 1) & 3, header as usize >> 3);
        let size = if kind == 1 { 1 } else { size.min(MAX_BLOCK) };
        Some(BLOCK_HEADER + size + if is_last && self.has_checksum { CHECKSUM } else { 0 })
    }

    /// Returns whether more decoding may need more memory than [`FREE_WINDOW`] for the window, because the content
    /// decoded so far may have this size.
    fn may_need_window(&self) -> bool {
        self.window > FREE_WINDOW && self.decoder.blocks_decoded() * MAX_BLOCK >= FREE_WINDOW as usize
    }

    /// Appends to `content` the decoded bytes that later blocks of the frame do not need, until `content` has
    /// [`STEP_BYTES`] bytes.
    fn release_content(&mut self, content: &mut Vec<u8>) -> Result<(), UnpackError> {
        let before = content.len();
        content.resize((before + self.decoder.can_collect()).min(STEP_BYTES), 0);
        let read = self.decoder.read(&mut content[before..]).map_err(|_| UnpackError::Damaged)?;
        content.truncate(before + read);
        self.bytes += read as u64;
        Ok(())
    }

    /// Checks the length and the checksum of the frame's content.
    ///
    /// # Errors
    /// Returns an error if the length or the checksum differs from the one that the frame states.
    fn check(&self) -> Result<(), UnpackError> {
        let stated = self.decoder.content_size();
        let is_other = stated != 0 && stated != self.bytes;
        let sums = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if is_other || self.has_checksum && sums.0 != sums.1 { Err(UnpackError::WrongChecksum) } else { Ok(()) }
    }
}

fn of_decoder(error: FrameDecoderError) -> UnpackError {
    use FrameDecoderError as E;
    match error {
        E::WindowSizeTooBig { requested, .. } => UnpackError::LargeWindow { needed: requested },
        E::FrameHeaderError(FrameHeaderError::WindowTooBig { got }) => UnpackError::LargeWindow { needed: got },
        E::DictNotProvided { .. } => UnpackError::NeedsDictionary,
        // A header is incomplete only at the end of the file; blocks are always complete.
        E::ReadFrameHeaderError(_) => UnpackError::CutOff,
        _ => UnpackError::Damaged,
    }
}
