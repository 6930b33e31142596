use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

/// Output of `printf ACGTACGTACGT | zstd -19`, with a checksum.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x68\x61\x00\x00\x41\x43\x47\x54\x41\x43\x47\x54\x41\x43\x47\x54\xe8\x15\x19\x94";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Builds a skippable frame, as `pzstd` writes before each of its frames.
fn skippable(content: &[u8]) -> Vec<u8> {
    [&b"\x50\x2a\x4d\x18"[..], &(content.len() as u32).to_le_bytes(), content].concat()
}

/// Builds a frame without a checksum, with a window of 2^`log` bytes, from blocks that each repeat one byte `MAX_BLOCK`
/// times.
fn repeated(log: u8, blocks: usize) -> Vec<u8> {
    let block = |is_last: bool| [&(u32::from(is_last) | 2 | (128 << 10) << 3).to_le_bytes()[..3], b"A"].concat();
    let blocks: Vec<u8> = (1..=blocks).flat_map(|at| block(at == blocks)).collect();
    [&b"\x28\xb5\x2f\xfd\x00"[..], &[(log - 10) << 3], &blocks].concat()
}

/// Unpacks a file that is pushed in pieces of `piece` bytes.
fn unpacked_by(piece: usize, file: &[u8]) -> Result<(Vec<u8>, u64), UnpackError> {
    let packed = PackedFormat::detect(file).unwrap();
    let (mut unpacker, mut content, mut step) = (Unpacker::new(packed, Box::new(|_| true)), Vec::new(), Vec::new());
    for piece in file.chunks(piece) {
        let mut rest = piece;
        loop {
            rest = &rest[unpacker.push(rest, &mut step)?..];
            let is_done = step.len() < STEP_BYTES;
            content.append(&mut step);
            if is_done {
                assert!(rest.is_empty());
                break;
            }
        }
    }
    loop {
        let ignored = unpacker.finish(&mut step)?;
        content.append(&mut step);
        if let Some(ignored) = ignored {
            return Ok((content, ignored));
        }
    }
}

fn agree(what: &str, file: &[u8], expected: Result<(&[u8], u64), UnpackError>) {
    let expected = expected.map(|(content, ignored)| (content.to_vec(), ignored));
    for piece in [1, 2, 7, file.len().max(1)] {
        assert_eq!(unpacked_by(piece, file), expected, "{what}, by {piece}");
    }
}

#[test]
fn valid_files_are_unpacked() {
    let members = [gzip(b"ACGT"), gzip(b""), gzip(b"ACGTACGT")].concat();
    let bgzip_end = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
    let named = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03name.txt\0";
    let with_name = [&named[..], &gzip(b"ACGTACGTACGT")[10..]].concat();
    let text: &[u8] = b"ACGTACGTACGT";
    let rows: [(&str, Vec<u8>); 12] = [
        ("one member", gzip(text)),
        ("several members", members.clone()),
        ("members of bgzip", [&members[..], bgzip_end].concat()),
        ("a member with a name", with_name),
        ("zero padding", [&members[..], &[0; 512]].concat()),
        ("a member after zero padding", [&gzip(b"ACGT")[..], &[0; 3], &gzip(b"ACGTACGT")].concat()),
        ("one frame", ZSTD.to_vec()),
        ("a skippable frame first, as of pzstd", [&skippable(&[9, 0, 0, 0])[..], ZSTD].concat()),
        ("a skippable frame last", [ZSTD, &skippable(b"seek table")].concat()),
        ("skippable frames without content", [&skippable(b"")[..], ZSTD, &skippable(b"")].concat()),
        ("an empty frame", [&b"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51"[..], ZSTD].concat()),
        ("skippable frames between", [ZSTD, &skippable(b"?"), &skippable(b"!")].concat()),
    ];
    for (what, file) in rows {
        agree(what, &file, Ok((text, 0)));
    }
    agree("two frames", &[ZSTD, &skippable(b"?"), ZSTD].concat(), Ok((&text.repeat(2), 0)));
    agree("a skippable frame alone", &skippable(b"nothing"), Ok((b"", 0)));
}

#[test]
fn bytes_after_gzip_data_are_ignored_and_counted() {
    for (behind, ignored) in [(&b"trailing"[..], 8), (b"\x1f", 1), (b"\x1f\x8bno", 4), (b"\0\0\0x\x1f\x8b\x08", 4)] {
        agree("garbage", &[&gzip(b"kitten")[..], behind].concat(), Ok((b"kitten", ignored)));
    }
}

#[test]
fn each_fault_has_its_reason() {
    use UnpackError as E;
    let noise: Vec<u8> = (0..100_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let whole = gzip(&noise);
    let end = whole.len();
    let changed = |at: usize, to: &[u8]| [&whole[..at], to, &whole[at + to.len()..]].concat();
    let mut wrong_sum = ZSTD.to_vec();
    *wrong_sum.last_mut().unwrap() ^= 1;
    let rows: [(&str, Vec<u8>, E); 14] = [
        ("gzip without its last byte", whole[..end - 1].to_vec(), E::CutOff),
        ("gzip without its sums", whole[..end - 9].to_vec(), E::CutOff),
        ("half of gzip", whole[..end / 2].to_vec(), E::CutOff),
        ("three bytes of gzip", whole[..3].to_vec(), E::CutOff),
        ("a second member that is cut off", [&whole[..], &whole[..2]].concat(), E::CutOff),
        ("another checksum", changed(end - 6, &[whole[end - 6] ^ 1]), E::WrongChecksum),
        ("another length", changed(end - 1, &[whole[end - 1] ^ 1]), E::WrongChecksum),
        ("other bits", changed(10, &[7]), E::Damaged),
        ("zstd without its last byte", ZSTD[..ZSTD.len() - 1].to_vec(), E::CutOff),
        ("zstd without its block", ZSTD[..8].to_vec(), E::CutOff),
        ("a skippable frame that is cut off", [ZSTD, &skippable(b"long")[..10]].concat(), E::CutOff),
        ("another checksum of zstd", wrong_sum, E::WrongChecksum),
        ("bytes behind zstd", [ZSTD, b"more"].concat(), E::TrailingBytes),
        ("a block of the reserved kind", b"\x28\xb5\x2f\xfd\x00\x58\x07\x00\x00...............".to_vec(), E::Damaged),
    ];
    for (what, file, error) in rows {
        agree(what, &file, Err(error));
    }
    let other = |packed, bytes| unpack_all(packed, bytes);
    assert_eq!(other(PackedFormat::Gzip, b"no gzip at all"), Err(E::OtherFormat));
    assert_eq!(other(PackedFormat::Zstd, b"no zstd at all"), Err(E::OtherFormat));
    assert_eq!(other(PackedFormat::Zstd, b"no"), Err(E::OtherFormat));
    assert_eq!(other(PackedFormat::Zstd, b"\x28\xb5\x2f\xfd\x01\x58\x07\x01\x00\x00....."), Err(E::NeedsDictionary));
}

#[test]
fn windows_up_to_the_limit_are_accepted_and_large_ones_need_memory() {
    let content = vec![b'A'; 100 << 17];
    assert_eq!(unpack_all(PackedFormat::Zstd, &repeated(27, 100)), Ok((content.clone(), 0)));
    assert_eq!(unpack_all(PackedFormat::Zstd, &repeated(28, 1)), Err(UnpackError::LargeWindow { needed: 256 << 20 }));
    assert_eq!(unpack_all(PackedFormat::Zstd, &repeated(41, 1)), Err(UnpackError::LargeWindow { needed: 2 << 40 }));
    let asked = |log, blocks| {
        let asked = Arc::new(AtomicU64::new(0));
        let told = asked.clone();
        let leave = move |bytes| {
            told.store(bytes, Ordering::Relaxed);
            false
        };
        let (mut unpacker, mut step) = (Unpacker::new(PackedFormat::Zstd, Box::new(leave)), Vec::new());
        let mut file = &repeated(log, blocks)[..];
        let mut error = None;
        while error.is_none() && !file.is_empty() {
            match unpacker.push(file, &mut step) {
                Ok(taken) => file = &file[taken..],
                Err(refused) => error = Some(refused),
            }
            step.clear();
        }
        (error, asked.load(Ordering::Relaxed))
    };
    assert_eq!(asked(27, 100), (Some(UnpackError::NoMemory), 128 << 20));
    assert_eq!(asked(27, 10), (None, 0), "little content needs little memory for any window");
    assert_eq!(asked(23, 100), (None, 0));
}

#[test]
fn decompression_bomb_is_unpacked_in_small_steps() {
    let bomb = repeated(17, 80_000);
    let (mut unpacker, mut step, mut bytes) = (Unpacker::new(PackedFormat::Zstd, Box::new(|_| true)), Vec::new(), 0u64);
    let mut rest = &bomb[..];
    while !rest.is_empty() && bytes < 1 << 30 {
        rest = &rest[unpacker.push(rest, &mut step).unwrap()..];
        assert!(step.len() <= STEP_BYTES + (128 << 10));
        bytes += step.len() as u64;
        step.clear();
    }
    assert!(bytes >= 1 << 30 && !rest.is_empty());
}
