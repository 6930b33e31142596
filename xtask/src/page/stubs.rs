//! Replaces functions that never run by stubs, so that code needed by these functions alone can be removed too. A stub
//! is a function that only traps; [`insert_stubs`] puts stubs into a module.
//!
//! Leptos has pointers to all operations of each view. The page is hydrated by [`hydrate_body`], so that the `async`
//! hydration never runs, and views that are loaded later are never hydrated. No compiler can know that, because the
//! operations are reachable through the pointers.
//!
//! Only the targets of pointers are replaced. Code that only these targets need becomes unreachable. The compiler
//! merges equal functions under one of their names, so that a name alone does not prove that a function is unused
//! elsewhere. The targets of a view's pointers have unique parameters and results, so that they are not merged with
//! others.
//!
//! A stub has the length of the original, because the linker's relocations refer to offsets. The relocations inside the
//! original are removed. Other tools shorten the stub.
//!
//! [`hydrate_body`]: https://docs.rs/leptos/0.8/leptos/mount/fn.hydrate_body.html

use std::{collections::HashSet, ops::Range};

use anyhow::{Context as _, ensure};
use wasmparser::{BinaryReader, FunctionBody, KnownCustom, Name, Parser, Payload, RelocSectionReader};

/// Name of the section with the linker's relocations of code.
pub(crate) const RELOCATIONS: &str = "reloc.CODE";

/// Opcode of the trap at the beginning of a stub.
pub(crate) const UNREACHABLE: u8 = 0x00;

/// Opcode that fills the rest of a stub and does nothing.
pub(crate) const NOP: u8 = 0x01;

/// The parts of a wasm module that are needed to replace code by traps.
pub(crate) struct ModuleCode<'a> {
    /// Number of imported functions. Their indices precede those of all other functions.
    pub(crate) imported: usize,
    /// Functions that are not imported: the mangled name, which may be empty, and the byte range of the body.
    pub(crate) functions: Vec<(&'a str, Range<usize>)>,
    /// Byte offset of the content of the code section. Offsets in relocations are relative to it.
    begin: usize,
    /// Byte range of the relocation section with its header, and byte range of its content. `None` if there is no such
    /// section.
    relocations: Option<(Range<usize>, Range<usize>)>,
}

impl<'a> ModuleCode<'a> {
    pub(crate) fn read(wasm: &'a [u8]) -> anyhow::Result<Self> {
        let (mut imported, mut begin, mut bodies, mut names, mut relocations) = (0, 0, Vec::new(), Vec::new(), None);
        // End of the previous section. The parser gives the beginning of a section's content, but not that of its
        // header.
        let mut last_end = 8;
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Payload::ImportSection(imports) = &payload {
                for import in imports.clone().into_imports() {
                    imported += usize::from(matches!(import?.ty, wasmparser::TypeRef::Func(_) | wasmparser::TypeRef::FuncExact(_)));
                }
            }
            match &payload {
                Payload::CodeSectionStart { range, .. } => begin = at(range.start),
                Payload::CodeSectionEntry(body) => bodies.push(place(body)),
                Payload::CustomSection(custom) if custom.name() == RELOCATIONS => {
                    let content = custom.data_offset();
                    relocations = Some((last_end..at(custom.range().end), at(content)..at(custom.range().end)));
                }
                Payload::CustomSection(custom) => {
                    if let KnownCustom::Name(parts) = custom.as_known() {
                        for part in parts {
                            if let Name::Function(map) = part? {
                                names = map.into_iter().collect::<Result<Vec<_>, _>>()?;
                            }
                        }
                    }
                }
                _ => {}
            }
            if let Some((_, range)) = payload.as_section() {
                last_end = at(range.end);
            }
        }
        let mut functions: Vec<(&str, Range<usize>)> = bodies.into_iter().map(|body| ("", body)).collect();
        for naming in names {
            if let Some((name, _)) = (naming.index as usize).checked_sub(imported).and_then(|own| functions.get_mut(own)) {
                *name = naming.name;
            }
        }
        Ok(Self { imported, functions, begin, relocations })
    }

    /// Returns a copy of the module `wasm`, from which `self` was read, with traps in place of the code at `places`.
    /// The byte ranges in `places` must be sorted.
    pub(crate) fn with_traps(&self, wasm: &[u8], places: &[Range<usize>]) -> anyhow::Result<Vec<u8>> {
        let (section, content) = self.relocations.clone().context("the linker has left no relocations")?;
        let mut trapping = wasm.to_vec();
        for place in places {
            trapping[place.clone()].fill(NOP);
            trapping[place.start] = UNREACHABLE;
        }
        let kept = relocations_outside(&wasm[content], self.begin, places)?;
        trapping.splice(section, custom(RELOCATIONS, &kept));
        Ok(trapping)
    }
}

/// Converts a file offset to `usize`. It always fits, because the file is in memory.
fn at(place: u64) -> usize {
    place as usize
}

fn place(body: &FunctionBody<'_>) -> Range<usize> {
    at(body.range().start)..at(body.range().end)
}

/// Returns the mangled names of all functions of the module `wasm`.
pub(crate) fn names(wasm: &[u8]) -> anyhow::Result<HashSet<String>> {
    Ok(ModuleCode::read(wasm)?.functions.into_iter().map(|(name, _)| name.to_owned()).collect())
}

/// Returns whether the path in the mangled name `name`, without the hash, ends with the parts `words`.
pub(crate) fn ends_with(name: &str, words: &[&str]) -> bool {
    path(name).split_last().is_some_and(|(_, path)| path.ends_with(words))
}

/// Splits the path in a mangled name into its parts. The last part is the hash.
fn path(name: &str) -> Vec<&str> {
    let (mut path, mut rest) = (Vec::new(), name.strip_prefix("_ZN").unwrap_or_default());
    while let Some(digits) = rest.find(|letter: char| !letter.is_ascii_digit()).filter(|digits| *digits > 0) {
        let after = &rest[digits..];
        let Some(word) = rest[..digits].parse::<usize>().ok().and_then(|length| after.get(..length)) else { break };
        path.push(word);
        rest = &after[word.len()..];
    }
    path
}

/// Replaces the functions whose mangled names `is_chosen` accepts by stubs. Returns the new module, and the number of
/// stubs.
pub(crate) fn insert_stubs(wasm: &[u8], is_chosen: impl Fn(&str) -> bool) -> anyhow::Result<(Vec<u8>, usize)> {
    let code = ModuleCode::read(wasm)?;
    let chosen: Vec<&Range<usize>> = code.functions.iter().filter(|(name, _)| is_chosen(name)).map(|(_, body)| body).collect();
    ensure!(chosen.iter().all(|body| body.len() >= 3), "a function has no end");
    let mut without_locals = wasm.to_vec();
    chosen.iter().for_each(|body| without_locals[body.start] = 0);
    let places: Vec<Range<usize>> = chosen.iter().map(|body| body.start + 1..body.end - 1).collect();
    Ok((code.with_traps(&without_locals, &places)?, places.len()))
}

/// Returns the content of a relocation section without the entries for code at `places`, byte ranges in ascending
/// order. `begin` is the offset of the code section's content.
fn relocations_outside(content: &[u8], begin: usize, places: &[Range<usize>]) -> anyhow::Result<Vec<u8>> {
    let reader = RelocSectionReader::new(BinaryReader::new(content, 0))?;
    let end = content.len();
    let entries = reader.entries().into_iter_with_offsets().collect::<Result<Vec<_>, _>>()?;
    let ends = entries.iter().skip(1).map(|(from, _)| at(*from)).chain([end]);
    let (mut count, mut kept) = (0, Vec::new());
    for ((from, entry), to) in entries.iter().zip(ends) {
        let offset = begin + entry.offset as usize;
        let next = places.partition_point(|place| place.end <= offset);
        if places.get(next).is_none_or(|place| offset < place.start) {
            kept.extend(&content[at(*from)..to]);
            count += 1;
        }
    }
    Ok([number(reader.section_index()), number(count), kept].concat())
}

/// Encodes a custom section of this name with its header.
pub(crate) fn custom(name: &str, content: &[u8]) -> Vec<u8> {
    let inner = [number(name.len() as u32), name.as_bytes().to_vec(), content.to_vec()].concat();
    [vec![0], number(inner.len() as u32), inner].concat()
}

/// Encodes a number as unsigned LEB128.
pub(crate) fn number(mut rest: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const END: u8 = 0x0b;

    const HYDRATE: &str = "_ZN53_$LT$T$u20$as$u20$tachys..view..any_view..IntoAny$GT$8into_any13hydrate_async17h0123456789abcdefE";
    const BUILD: &str = "_ZN53_$LT$T$u20$as$u20$tachys..view..any_view..IntoAny$GT$8into_any5build17h0123456789abcdefE";

    pub(crate) fn section(kind: u8, content: &[u8]) -> Vec<u8> {
        [vec![kind], number(content.len() as u32), content.to_vec()].concat()
    }

    pub(crate) fn named(name: &str) -> Vec<u8> {
        [number(name.len() as u32), name.as_bytes().to_vec()].concat()
    }

    /// Creates a module with one imported function and two functions that call it, with relocations of these calls.
    fn module() -> Vec<u8> {
        // A call whose operand has full length, so that the linker can change it in place.
        let body = [10, 0, 0x10, 0x80, 0x80, 0x80, 0x80, 0x00, 0x41, 0x00, END];
        let names = [vec![2, 1], named(HYDRATE), vec![2], named(BUILD)].concat();
        let relocations = [number(3), number(2), vec![0, 4, 7], vec![0, 15, 7]].concat();
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[1, 0x60, 0, 1, 0x7f]),
            section(2, &[vec![1], named("env"), named("callee"), vec![0, 0]].concat()),
            section(3, &[2, 0, 0]),
            section(10, &[vec![2], body.to_vec(), body.to_vec()].concat()),
            custom(RELOCATIONS, &relocations),
            section(0, &[named("name"), section(1, &names)].concat()),
        ]
        .concat()
    }

    #[test]
    fn symbol_name_is_parsed_between_its_lengths() {
        assert!(ends_with(HYDRATE, &["into_any", "hydrate_async"]) && !ends_with(BUILD, &["into_any", "hydrate_async"]));
        let inner = HYDRATE.replace("17h0", "4prep17h0");
        assert!(!ends_with(&inner, &["hydrate_async"]), "an inner function may be used elsewhere");
        for broken in ["", "hydrate_async", "_ZN", "_ZN9short", "_ZN99999999999999999999999x", "_ZNé"] {
            assert!(!ends_with(broken, &["hydrate_async"]));
        }
    }

    #[test]
    fn stub_references_nothing_and_other_code_is_unchanged() {
        let module = module();
        let (found, count) = insert_stubs(&module, |name| ends_with(name, &["hydrate_async"])).unwrap();
        assert_eq!((count, found.len()), (1, module.len() - 3), "one relocation was removed");
        let code = ModuleCode::read(&found).unwrap();
        let [(_, stub), (_, other)] = &code.functions[..] else { panic!("expected two functions") };
        assert_eq!(found[stub.clone()], [0, UNREACHABLE, NOP, NOP, NOP, NOP, NOP, NOP, NOP, END]);
        assert_eq!(found[other.clone()], module[other.clone()]);
        let (_, content) = code.relocations.unwrap();
        assert_eq!(found[content], [3, 1, 0, 15, 7]);
        assert_eq!(names(&found).unwrap(), HashSet::from([HYDRATE.to_owned(), BUILD.to_owned()]));
        let (same, none) = insert_stubs(&module, |_| false).unwrap();
        assert_eq!((same, none), (module, 0));
    }
}
