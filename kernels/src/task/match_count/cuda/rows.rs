//! Groups of neighbouring pattern symbols (rows) that one launch counts: the codes of the symbols, and their order.

use std::collections::HashMap;

use super::shape::{TileShape, planes};
use crate::gpu::session::DeviceSymbol;

/// Maximum number of pattern symbols (rows) that one launch counts, because counters have 12 bits.
pub(super) const MAX_GROUP_ROWS: usize = 2048;

/// Maximum number of parts ([`RowPart`]) in a group of rows (pattern symbols).
pub(super) const MAX_GROUP_PARTS: usize = 192;

/// The number of rows in every part of a group is a multiple of this number. Parts are padded with rows of zeros.
pub(super) const ROW_GRANULARITY: usize = 8;

/// A part of a group: rows (pattern symbols) whose bit vectors are in shared memory at the same time. A bit vector says
/// where the text has a symbol. The layout is that of `Part` in the CUDA code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct RowPart {
    pub(super) first_code: u32,
    pub(super) codes: u32,
    pub(super) first_row: u32,
    pub(super) end_row: u32,
}

/// The number of symbols before every group is a multiple of this number, so that kernels can read the text from there
/// in vectors.
const VECTOR: usize = 16;

/// A group of neighbouring symbols of the pattern (rows), which one launch counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowGroup {
    /// Number of rows of the pattern before this group.
    pub(super) from: usize,
    /// Number of rows in the group.
    pub(super) rows: usize,
    /// Number of bits in a code.
    pub(super) planes: u32,
    /// For each symbol number, its code. Symbols that do not occur in the group get a code that none of its symbols
    /// has.
    pub(super) codes: Vec<u16>,
    /// Whether symbols are their own codes.
    pub(super) are_codes: bool,
    /// Number of 32-bit words in the bit vector of one code, which says where the text has this code.
    pub(super) row: usize,
    /// Maximum number of bit vectors that are in shared memory at the same time.
    pub(super) vectors: usize,
    pub(super) parts: Vec<RowPart>,
    /// Codes of the distinct symbols, in the order in which their bit vectors are built.
    pub(super) order: Vec<u16>,
    /// For each row in the order of counting, the position of its first word in shared memory, in bytes from the start
    /// of the bit vectors.
    pub(super) moves: Vec<u32>,
}

/// Divides the pattern `a` into groups of rows (symbols) for tiles of `shape`. Symbols are below `alphabet`.
pub(super) fn groups<'a, T: DeviceSymbol>(a: &'a [T], alphabet: u32, shape: &'a TileShape) -> impl Iterator<Item = RowGroup> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let mut rows = MAX_GROUP_ROWS.min(a.len() - from);
        if rows == 0 {
            return None;
        }
        // Many symbols and little shared memory make many parts.
        let mut group = RowGroup::new(&a[from..from + rows], alphabet, shape);
        while group.parts.len() > MAX_GROUP_PARTS {
            rows = rows.div_ceil(2).next_multiple_of(VECTOR);
            group = RowGroup::new(&a[from..from + rows], alphabet, shape);
        }
        group.from = from;
        from += rows;
        Some(group)
    })
}

impl RowGroup {
    fn new<T: DeviceSymbol>(rows: &[T], alphabet: u32, shape: &TileShape) -> Self {
        let mut of_code: Vec<Vec<usize>> = Vec::new();
        let mut code: HashMap<u32, u16> = HashMap::new();
        for (row, &symbol) in rows.iter().enumerate() {
            let code = *code.entry(symbol.into()).or_insert_with(|| {
                of_code.push(Vec::new());
                (of_code.len() - 1) as u16
            });
            of_code[usize::from(code)].push(row);
        }
        let others = of_code.len() as u16;
        let planes = planes(of_code.len() + usize::from(of_code.len() < alphabet as usize));
        let are_codes = alphabet <= 1 << planes;
        let mut codes: Vec<u16> = (0..alphabet).map(|symbol| if are_codes { symbol as u16 } else { others }).collect();
        let mut order = vec![0; of_code.len()];
        for (&symbol, &number) in &code {
            let code = &mut codes[symbol as usize];
            *code = if are_codes { symbol as u16 } else { number };
            order[usize::from(number)] = *code;
        }

        let row = (shape.tile as usize + rows.len()).next_multiple_of(32);
        let room = shape.shared_bytes as usize / 4 - shape.tile as usize;
        let vectors = (room / row).clamp(1, of_code.len());
        let zeros = (4 * vectors * row) as u32;
        let (mut parts, mut moves) = (Vec::new(), Vec::new());
        for (number, together) in of_code.chunks(vectors).enumerate() {
            let first_row = moves.len() as u32;
            for (vector, rows) in together.iter().enumerate() {
                moves.extend(rows.iter().map(|at| (4 * (vector * row + at)) as u32));
            }
            moves.resize(moves.len().next_multiple_of(ROW_GRANULARITY), zeros);
            let (first_code, codes) = ((number * vectors) as u32, together.len() as u32);
            parts.push(RowPart { first_code, codes, first_row, end_row: moves.len() as u32 });
        }
        Self { from: 0, rows: rows.len(), planes, codes, are_codes, row, vectors, parts, order, moves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// Checks the groups of the pattern `rows` for tiles of `shape`. Every row must occur once, at its position in the
    /// bit vector of its symbol. No group may exceed the limits of the kernel.
    fn check(rows: &[u32], alphabet: u32, shape: &TileShape) {
        let mut from = 0;
        for group in groups(rows, alphabet, shape) {
            assert_eq!(group.from, from);
            assert!(from.is_multiple_of(VECTOR));
            assert!(
                group.parts.len() <= MAX_GROUP_PARTS
                    && group.rows <= MAX_GROUP_ROWS
                    && group.moves.len() <= MAX_GROUP_ROWS + ROW_GRANULARITY * MAX_GROUP_PARTS
            );
            assert!(4 * (group.vectors * group.row + shape.tile as usize) <= shape.shared_bytes as usize);
            let mut found = vec![None; group.rows];
            for part in &group.parts {
                assert!(part.codes as usize <= group.vectors && (part.first_row as usize).is_multiple_of(ROW_GRANULARITY));
                for &moved in &group.moves[part.first_row as usize..part.end_row as usize] {
                    let (vector, at) = (moved as usize / 4 / group.row, moved as usize / 4 % group.row);
                    if vector < group.vectors {
                        assert_eq!(found[at].replace(group.order[part.first_code as usize + vector]), None);
                    }
                }
            }
            let expected: Vec<_> = rows[from..from + group.rows].iter().map(|&symbol| Some(group.codes[symbol as usize])).collect();
            assert_eq!(found, expected);
            let others = (0..alphabet).filter(|symbol| !rows[from..from + group.rows].contains(symbol));
            others.for_each(|symbol| assert!(!group.order.contains(&group.codes[symbol as usize])));
            assert!(group.codes.iter().all(|&code| code < 1 << group.planes));
            assert!(!group.are_codes || group.codes.iter().zip(0..).all(|(&code, symbol)| code == symbol));
            from += group.rows;
        }
        assert_eq!(from, rows.len());
    }

    #[test]
    fn every_row_is_counted_once() {
        for (alphabet, m) in [(1, 1), (2, 7), (4, 64), (4, 2049), (62, 1000), (256, 5000), (5000, 5000)] {
            let letters: Vec<u32> = (0..alphabet).collect();
            for seed in 0..2 {
                for (tile, shared_bytes) in [(512, 56 << 10), (2048, 227 << 10), (2048, 64 << 10)] {
                    check(&random(&letters, m, seed), alphabet + seed as u32, &TileShape { tile, shared_bytes, offsets: 1, narrow: true });
                }
            }
        }
    }
}
