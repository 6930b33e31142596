//! Replaces code that leads to a panic by a trap, in modules for visitors.
//!
//! A panic of the page or the solver ends in a trap, because nothing unwinds. Before this trap, a message for the
//! console is formatted from values and the source position. The message costs code, data and file paths in thousands
//! of places. After the replacement the trap comes at once. All checks remain, and handlers of a trap see it as before.
//!
//! ```text
//! while something new is found:
//!   for each straight line of instructions, without a branch or another call, that ends in a call of a panicking function:
//!     put a trap in place of the line
//!     if the line is the beginning of its function: that function is a panicking one
//! ```
//!
//! Only the panic can observe what a line does before the call. As in [`stubs`](super::stubs), no offset in the module
//! changes.

use std::{collections::HashSet, ops::Range};

use wasmparser::{BinaryReader, FunctionBody, Operator};

use crate::page::stubs::ModuleCode;

/// Crates of the standard library, as they appear in mangled names. A function of these crates is regarded as panicking
/// if the code after a call of it is unreachable.
const STANDARD: [&str; 3] = ["_4core", "_5alloc", "_3std"];

/// Module with generic functions that panic, as it appears in mangled names. It is an exception from the rule that
/// generic functions are not regarded as panicking.
const PANICKING: &str = "4core9panicking";

/// A straight line of instructions, without a branch, that ends with a call: a candidate for replacement by a trap.
struct CallBlock {
    place: Range<usize>,
    callee: u32,
    /// Whether the code after the call is unreachable, which means that the called function does not return.
    is_last: bool,
    /// Index of the function that begins with this line, if any.
    begins: Option<u32>,
}

/// Returns the module `wasm` with traps in place of the code that leads to panics, and the number of traps.
pub(crate) fn insert_traps(wasm: &[u8]) -> anyhow::Result<(Vec<u8>, usize)> {
    let code = ModuleCode::read(wasm)?;
    let mut lines = Vec::new();
    for (own, (_, body)) in code.functions.iter().enumerate() {
        read_lines((code.imported + own) as u32, FunctionBody::new(BinaryReader::new(&wasm[body.clone()], body.start as u64)), &mut lines)?;
    }
    let name = |function: u32| (function as usize).checked_sub(code.imported).map_or("", |own| code.functions[own].0);
    let mut panicking: HashSet<u32> =
        lines.iter().filter(|line| line.is_last && is_panic(name(line.callee))).map(|line| line.callee).collect();
    loop {
        let begin_so = lines.iter().filter(|line| panicking.contains(&line.callee)).filter_map(|line| line.begins).collect::<Vec<_>>();
        let known = panicking.len();
        panicking.extend(begin_so);
        if panicking.len() == known {
            break;
        }
    }
    let places: Vec<Range<usize>> = lines.into_iter().filter(|line| panicking.contains(&line.callee)).map(|line| line.place).collect();
    Ok((code.with_traps(wasm, &places)?, places.len()))
}

/// Returns whether a function with this mangled name panics, given that it does not return. Only functions of the
/// standard library without type parameters qualify, because generic functions may call any code.
fn is_panic(name: &str) -> bool {
    name.contains(PANICKING) || (name.starts_with("_RNv") && STANDARD.iter().any(|name_of| name.contains(name_of)))
}

fn read_lines(function: u32, body: FunctionBody<'_>, lines: &mut Vec<CallBlock>) -> anyhow::Result<()> {
    let mut operators = body.get_operators_reader()?;
    let begin = operators.original_position() as usize;
    let (mut from, mut after_call) = (begin, false);
    while !operators.eof() {
        let operator = operators.read()?;
        let to = operators.original_position() as usize;
        if after_call
            && matches!(operator, Operator::Unreachable)
            && let Some(line) = lines.last_mut()
        {
            line.is_last = true;
        }
        after_call = false;
        match operator {
            Operator::Call { function_index } => {
                lines.push(CallBlock {
                    place: from..to,
                    callee: function_index,
                    is_last: false,
                    begins: (from == begin).then_some(function),
                });
                (from, after_call) = (to, true);
            }
            Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::CallIndirect { .. }
            | Operator::Unreachable => from = to,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::stubs::{
        NOP, RELOCATIONS, UNREACHABLE, custom, number,
        tests::{END, named, section},
    };

    const CALL: u8 = 0x10;
    const PANIC: &str = "_RNvNtCsgXGp5Oqx2Ny_4core9panicking9panic_fmt";

    /// Creates a module that imports one function. It has `functions`, given as name and body, without parameters.
    /// `relocations` are offsets in the code section.
    fn module(functions: &[(&str, &[u8])], relocations: &[u8]) -> Vec<u8> {
        let names = (1..).zip(functions).flat_map(|(at, (name, _))| [vec![at], named(name)].concat());
        let names: Vec<u8> = [functions.len() as u8].into_iter().chain(names).collect();
        let bodies = functions.iter().flat_map(|(_, body)| [number(body.len() as u32), body.to_vec()].concat());
        let bodies: Vec<u8> = [functions.len() as u8].into_iter().chain(bodies).collect();
        let entries = relocations.iter().flat_map(|offset| [0, *offset, 7]);
        let entries: Vec<u8> = [3, relocations.len() as u8].into_iter().chain(entries).collect();
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[1, 0x60, 0, 0]),
            section(2, &[vec![1], named("env"), named("throw"), vec![0, 0]].concat()),
            section(3, &[vec![functions.len() as u8], vec![0; functions.len()]].concat()),
            section(10, &bodies),
            custom(RELOCATIONS, &entries),
            section(0, &[named("name"), section(1, &names)].concat()),
        ]
        .concat()
    }

    /// Returns the bodies of a module's functions.
    fn bodies(wasm: &[u8]) -> Vec<Vec<u8>> {
        ModuleCode::read(wasm).unwrap().functions.into_iter().map(|(_, body)| wasm[body].to_vec()).collect()
    }

    #[test]
    fn paths_to_a_panic_become_traps_and_other_code_is_unchanged() {
        // In order: `block`; a branch out of it if local 1 is not 0; a constant for the panic; the panic. Then the
        // normal path.
        let checks = [0, 0x02, 0x40, 0x41, 1, 0x0d, 0, 0x41, 16, 0x1a, CALL, 1, UNREACHABLE, END, CALL, 0, END];
        let only_panics = [0, 0x41, 32, 0x1a, CALL, 1, UNREACHABLE, END];
        let calls_that = [0, CALL, 0, CALL, 3, END];
        let throws = [0, CALL, 0, UNREACHABLE, END];
        let panic = [0, UNREACHABLE, END];
        let functions: [(&str, &[u8]); 5] = [
            (PANIC, &panic),
            ("_ZN3app5checkE", &checks),
            ("_ZN3app4failE", &only_panics),
            ("_ZN3app5callsE", &calls_that),
            ("_ZN3app6throwsE", &throws),
        ];
        // Offsets in the code section: in `checks` the constant and the call of the import, in `only_panics` the
        // constant.
        let module = module(&functions, &[13, 20, 25]);
        let (found, count) = insert_traps(&module).unwrap();
        assert_eq!(count, 3);
        let [as_before, checked, failed, called, thrown] = &bodies(&found)[..] else { panic!("five functions") };
        assert_eq!(as_before, &panic);
        assert_eq!(checked, &[0, 0x02, 0x40, 0x41, 1, 0x0d, 0, UNREACHABLE, NOP, NOP, NOP, NOP, UNREACHABLE, END, CALL, 0, END]);
        assert_eq!(failed, &[0, UNREACHABLE, NOP, NOP, NOP, NOP, UNREACHABLE, END]);
        assert_eq!(called, &[0, CALL, 0, UNREACHABLE, NOP, END], "the call before the panic stays");
        assert_eq!(thrown, &throws, "a thrown error still reaches JavaScript");
        let of_one = ModuleCode::read(&found).unwrap().with_traps(&found, &[]).unwrap();
        assert!(of_one.windows(5).any(|bytes| bytes == [3, 1, 0, 20, 7]), "only the relocation of the remaining call is left");
    }

    #[test]
    fn only_panics_of_the_standard_library_become_traps() {
        assert!(is_panic(PANIC) && is_panic("_RINvNtCsgXGp5Oqx2Ny_4core9panicking13assert_failedjjEB4_"));
        assert!(is_panic("_RNvNtCs5cOc02OMXlo_5alloc7raw_vec12handle_error"));
        for other in ["", "_ZN12wasm_bindgen9throw_str17h0123456789abcdefE", "_RINvNtCs1_4core3ops8call_onceE", "_RNvCs1_3app5throw"] {
            assert!(!is_panic(other), "{other}");
        }
    }
}
