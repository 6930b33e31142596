//! Merges several wasm modules of the splitter ([`split`](super::split)) into one, by [`merge_modules`].
//!
//! These modules share memory, stack and table with the main module, have the same types, import no functions and
//! export nothing. A call into another module goes through a shim, a local function that calls through the table. In
//! the merged module, a call of a shim becomes a direct call if the target is part of the module too. Equal shims are
//! merged.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use anyhow::{Context as _, bail, ensure};
use wasmparser::{ConstExpr, DataKind, ElementItems, ElementKind, FunctionBody, Operator, Parser, Payload, TypeRef};

use crate::page::stubs::{ModuleCode, number};

/// Id of the section of types in a wasm file.
const TYPES: u8 = 1;

/// Id of the section of imports in a wasm file.
const IMPORTS: u8 = 2;

/// Id of the section with the types of functions in a wasm file.
const FUNCTIONS: u8 = 3;

/// Id of the section that fills the function table in a wasm file.
const ELEMENTS: u8 = 9;

/// Id of the section with the number of data segments in a wasm file. It precedes the code.
const DATA_COUNT: u8 = 12;

/// Id of the section with the bodies of functions in a wasm file.
const CODE: u8 = 10;

/// Id of the section of data segments in a wasm file.
const DATA: u8 = 11;

/// Opcode of `call`.
const CALL: u8 = 0x10;

/// Opcode that ends a body or an expression.
const END: u8 = 0x0b;

/// Opcode of a 32-bit constant.
const I32_CONST: u8 = 0x41;

/// A function of a wasm module: the index of its type, the byte range of its body, and its calls as byte ranges with
/// the numbers of the called functions.
struct WasmFunction {
    ty: u32,
    body: Range<usize>,
    calls: Vec<(Range<usize>, u32)>,
    /// Index in the function table that this function calls, if the function is a shim.
    shim: Option<u32>,
}

/// A parsed module that the splitter has written.
#[derive(Default)]
struct InputModule<'a> {
    wasm: &'a [u8],
    types: &'a [u8],
    /// Imports: the kind and whether the import is an immutable global, and the encoded import. Sorted, mutable globals
    /// come before immutable ones, as the splitter expects.
    imports: Vec<((u8, bool), &'a [u8])>,
    functions: Vec<WasmFunction>,
    /// Segments of the function table: the table index of the first entry, and the numbers of the functions from there
    /// on.
    elements: Vec<(u32, Vec<u32>)>,
    /// Encoded segments of the data section.
    data: Vec<&'a [u8]>,
}

/// Merges `modules`, which the splitter has written, into one module.
pub(crate) fn merge_modules(modules: &[Vec<u8>]) -> anyhow::Result<Vec<u8>> {
    let inputs = modules.iter().map(|wasm| InputModule::read(wasm)).collect::<anyhow::Result<Vec<_>>>()?;
    ensure!(inputs.windows(2).all(|pair| pair[0].types == pair[1].types), "modules have other types");
    let mut imports = BTreeMap::new();
    for input in &inputs {
        imports.extend(input.imports.iter().copied().map(|import| (import, ())));
    }
    let in_table: HashMap<u32, (usize, u32)> = inputs.iter().enumerate().flat_map(|(number, input)| input.in_table(number)).collect();

    // Selects the functions that remain and gives them their new numbers.
    let (mut kept, mut shims, mut numbers) = (Vec::new(), HashMap::new(), HashMap::new());
    for (_, module, own) in sorted_by_name(modules)? {
        let function = &inputs[module].functions[own];
        let is_there = function.shim.is_some_and(|place| in_table.contains_key(&place) || shims.contains_key(&place));
        if is_there {
            continue;
        }
        let number = kept.len() as u32;
        if let Some(place) = function.shim {
            shims.insert(place, number);
        }
        numbers.insert((module, own as u32), number);
        kept.push((module, function));
    }
    let number_of = |module: usize, own: u32| -> anyhow::Result<u32> {
        let function = inputs[module].functions.get(own as usize).context("a module has no such function")?;
        let found = match function.shim {
            Some(place) => in_table.get(&place).map_or_else(|| shims.get(&place), |target| numbers.get(target)),
            None => numbers.get(&(module, own)),
        };
        found.copied().context("a function got lost")
    };

    let elements = inputs.iter().enumerate().flat_map(|(module, input)| input.elements.iter().map(move |element| (module, element)));
    let elements = elements.map(|(module, (place, functions))| {
        let functions = functions.iter().map(|own| Ok(number(number_of(module, *own)?))).collect::<anyhow::Result<Vec<_>>>()?;
        Ok([vec![0, I32_CONST], signed(*place), vec![END], vector(&functions)].concat())
    });
    let elements = elements.collect::<anyhow::Result<Vec<_>>>()?;
    let bodies = kept.iter().map(|(module, function)| {
        let body = function.body_calling(inputs[*module].wasm, |own| number_of(*module, own))?;
        Ok([number(body.len() as u32), body].concat())
    });
    let bodies = bodies.collect::<anyhow::Result<Vec<_>>>()?;
    let data: Vec<&[u8]> = inputs.iter().flat_map(|input| input.data.iter().copied()).collect();
    let types = inputs.first().map_or(&[][..], |input| input.types);
    let sections = [
        (TYPES, types.to_vec()),
        (IMPORTS, vector(&imports.into_keys().map(|(_, import)| import).collect::<Vec<_>>())),
        (FUNCTIONS, vector(&kept.iter().map(|(_, function)| number(function.ty)).collect::<Vec<_>>())),
        (ELEMENTS, vector(&elements)),
        (DATA_COUNT, number(data.len() as u32)),
        (CODE, vector(&bodies)),
        (DATA, vector(&data)),
    ];
    let sections = sections.into_iter().flat_map(|(id, content)| [vec![id], number(content.len() as u32), content]);
    Ok([b"\0asm\x01\0\0\0".to_vec()].into_iter().chain(sections).flatten().collect())
}

/// Returns the functions of all `modules`, sorted by name: the name, the number of the module and the index in the
/// module. Instances of one generic function are then neighbours, so that brotli finds their common parts at short
/// distances.
fn sorted_by_name(modules: &[Vec<u8>]) -> anyhow::Result<Vec<(&str, usize, usize)>> {
    let mut sorted = Vec::new();
    for (module, wasm) in modules.iter().enumerate() {
        let functions = ModuleCode::read(wasm)?.functions;
        sorted.extend(functions.iter().enumerate().map(|(own, (name, _))| (*name, module, own)));
    }
    sorted.sort();
    Ok(sorted)
}

impl<'a> InputModule<'a> {
    fn read(wasm: &'a [u8]) -> anyhow::Result<Self> {
        let mut input = Self { wasm, ..Self::default() };
        let mut types = Vec::new();
        let mut parameters = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    input.types = &wasm[at(section.range())];
                    for ty in section.into_iter_err_on_gc_types() {
                        parameters.push(ty?.params().len());
                    }
                }
                Payload::ImportSection(section) => {
                    let end = section.range().end as usize;
                    let imports = section.into_imports_with_offsets().collect::<Result<Vec<_>, _>>()?;
                    let ends = imports.iter().skip(1).map(|(from, _)| *from as usize).chain([end]);
                    for ((from, import), to) in imports.iter().zip(ends) {
                        let kind = match import.ty {
                            TypeRef::Memory(_) => (0, false),
                            TypeRef::Table(_) => (1, false),
                            TypeRef::Global(global) => (2, !global.mutable),
                            other => bail!("a part imports {other:?}"),
                        };
                        input.imports.push((kind, &wasm[*from as usize..to]));
                    }
                }
                Payload::FunctionSection(section) => types = section.into_iter().collect::<Result<Vec<_>, _>>()?,
                Payload::ExportSection(section) => ensure!(section.count() == 0, "a part exports something"),
                Payload::ElementSection(section) => {
                    for element in section {
                        let element = element?;
                        let ElementKind::Active { offset_expr, .. } = element.kind else { bail!("a part has no place in the table") };
                        let ElementItems::Functions(functions) = element.items else { bail!("a part has no functions for the table") };
                        input.elements.push((constant(&offset_expr)?, functions.into_iter().collect::<Result<Vec<_>, _>>()?));
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let ty = *types.get(input.functions.len()).context("a function has no type")?;
                    let parameters = *parameters.get(ty as usize).context("there is no such type")?;
                    input.functions.push(WasmFunction::read(&body, ty, parameters)?);
                }
                Payload::DataSection(section) => {
                    for data in section {
                        let data = data?;
                        ensure!(matches!(data.kind, DataKind::Active { .. }), "data has no place");
                        if !data.data.is_empty() {
                            input.data.push(&wasm[at(data.range)]);
                        }
                    }
                }
                // Names and producers.
                Payload::CustomSection(_) => {}
                Payload::Version { .. } | Payload::DataCountSection { .. } | Payload::CodeSectionStart { .. } | Payload::End(_) => {}
                other => bail!("a part has {other:?}"),
            }
        }
        Ok(input)
    }

    /// Returns the entries of the function table that this module fills: the index in the table, and the function as
    /// the number of its module and its own number. `module` is the number of this module.
    fn in_table(&self, module: usize) -> impl Iterator<Item = (u32, (usize, u32))> {
        self.elements.iter().flat_map(move |(place, functions)| (*place..).zip(functions.iter().map(move |own| (module, *own))))
    }
}

impl WasmFunction {
    fn read(body: &FunctionBody<'_>, ty: u32, parameters: usize) -> anyhow::Result<Self> {
        let mut operators = body.get_operators_reader()?;
        let (mut calls, mut read, mut last) = (Vec::new(), Vec::new(), operators.original_position() as usize);
        let has_locals = body.get_locals_reader()?.get_count() > 0;
        while !operators.eof() {
            let operator = operators.read()?;
            let to = operators.original_position() as usize;
            match operator {
                Operator::Call { function_index } => calls.push((last..to, function_index)),
                Operator::ReturnCall { .. } | Operator::RefFunc { .. } | Operator::MemoryInit { .. } | Operator::DataDrop { .. } => {
                    bail!("{operator:?} in a part")
                }
                _ => {}
            }
            // A shim passes its parameters on: it has an instruction for each of them, the table index, the call and
            // the end.
            if read.len() < parameters + 4 {
                read.push(operator);
            }
            last = to;
        }
        let shim = match read.get(parameters..) {
            Some([Operator::I32Const { value }, Operator::CallIndirect { type_index, table_index: 0 }, Operator::End])
                if *type_index == ty
                    && !has_locals
                    && (0..)
                        .zip(&read[..parameters])
                        .all(|(n, read)| matches!(read, Operator::LocalGet { local_index } if *local_index == n)) =>
            {
                Some(*value as u32)
            }
            _ => None,
        };
        Ok(Self { ty, body: at(body.range()), calls, shim })
    }

    /// Returns the body of this function in which the number of each called function is replaced by the one that
    /// `number_of` returns for it. `wasm` is the module of the function.
    fn body_calling(&self, wasm: &[u8], number_of: impl Fn(u32) -> anyhow::Result<u32>) -> anyhow::Result<Vec<u8>> {
        let (mut body, mut from) = (Vec::with_capacity(self.body.len()), self.body.start);
        for (place, callee) in &self.calls {
            body.extend(&wasm[from..place.start]);
            body.push(CALL);
            body.extend(number(number_of(*callee)?));
            from = place.end;
        }
        body.extend(&wasm[from..self.body.end]);
        Ok(body)
    }
}

fn at(range: Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Returns the value of a constant 32-bit expression.
fn constant(expression: &ConstExpr<'_>) -> anyhow::Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value as u32),
        other => bail!("a place is {other:?}"),
    }
}

/// Encodes a number as signed LEB128, the encoding of constants in wasm.
fn signed(value: u32) -> Vec<u8> {
    let (mut rest, mut bytes) = (value as i32, Vec::new());
    loop {
        let low = (rest & 0x7f) as u8;
        rest >>= 7;
        let is_last = (rest == 0 && low & 0x40 == 0) || (rest == -1 && low & 0x40 != 0);
        bytes.push(if is_last { low } else { low | 0x80 });
        if is_last {
            return bytes;
        }
    }
}

/// Encodes a list as a vector of wasm: the number of items, and then the items.
fn vector(items: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut content = number(items.len() as u32);
    items.iter().for_each(|item| content.extend(item.as_ref()));
    content
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::stubs::tests::{named, section};

    const LOCAL_GET: u8 = 0x20;
    const CALL_INDIRECT: u8 = 0x11;
    const GLOBAL_GET: u8 = 0x23;
    const DROP: u8 = 0x1a;

    /// Creates a shim with one parameter that calls the function at the table index `place`.
    fn shim(place: u8) -> Vec<u8> {
        vec![0, LOCAL_GET, 0, I32_CONST, place, CALL_INDIRECT, 1, 0, END]
    }

    /// Creates a module like those of the splitter, with these imports and function bodies. `in_table` is a table index
    /// and the function there, `data` is the address and the content of a data segment.
    fn module(imports: &[Vec<u8>], bodies: &[Vec<u8>], in_table: (u8, u8), data: (u8, &[u8])) -> Vec<u8> {
        let bodies: Vec<Vec<u8>> = bodies.iter().map(|body| [number(body.len() as u32), body.clone()].concat()).collect();
        let none = vec![0, I32_CONST, 0, END, 0];
        let data = [vec![0, I32_CONST, data.0, END], number(data.1.len() as u32), data.1.to_vec()].concat();
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(TYPES, &[2, 0x60, 0, 0, 0x60, 1, 0x7f, 0]),
            section(IMPORTS, &vector(imports)),
            section(FUNCTIONS, &vector(&vec![[1]; bodies.len()])),
            section(7, &[0]),
            section(ELEMENTS, &[1, 0, I32_CONST, in_table.0, END, 1, in_table.1]),
            section(DATA_COUNT, &[2]),
            section(CODE, &vector(&bodies)),
            section(DATA, &vector(&[none, data])),
        ]
        .concat()
    }

    fn import(name: &str, what: &[u8]) -> Vec<u8> {
        [named("__wasm_split"), named(name), what.to_vec()].concat()
    }

    #[test]
    fn calls_between_modules_become_calls_inside_the_merged_module() {
        let (memory, table) = (import("memory", &[2, 0, 1]), import("table", &[1, 0x70, 0, 9]));
        let (stack, constant) = (import("stack", &[3, 0x7f, 1]), import("constant", &[3, 0x7f, 0]));
        // A calls B's function and one of the main module at table index 2. B calls A's function and the same one of
        // the main module.
        let call = |shims: [u8; 2]| vec![0, LOCAL_GET, 0, CALL, shims[0], LOCAL_GET, 0, CALL, shims[1], END];
        let a = module(&[memory.clone(), table.clone(), constant], &[shim(7), call([0, 2]), shim(2)], (5, 1), (64, b"aa"));
        let of_b = [vec![vec![0, GLOBAL_GET, 0, DROP, END]], vec![shim(2), call([1, 3]), shim(5)]].concat();
        let b = module(&[table, stack, memory], &of_b, (7, 2), (80, b"b"));
        let wasm = merge_modules(&[a, b]).unwrap();

        let made = InputModule::read(&wasm).unwrap();
        let named: Vec<_> = made.imports.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(named, [(0, false), (1, false), (2, false), (2, true)], "the stack is the first global, as in the modules");
        // A's function, one shim, B's first and B's second.
        assert_eq!(made.elements, [(5, vec![0]), (7, vec![3])]);
        let calls: Vec<Vec<u32>> =
            made.functions.iter().map(|function| function.calls.iter().map(|(_, callee)| *callee).collect()).collect();
        assert_eq!(calls, [vec![3, 1], vec![], vec![], vec![1, 0]]);
        assert_eq!(made.functions.iter().map(|function| function.shim).collect::<Vec<_>>(), [None, Some(2), None, None]);
        assert_eq!(made.data, [&[0, I32_CONST, 64, END, 2, b'a', b'a'][..], &[0, I32_CONST, 80, END, 1, b'b'][..]]);
    }

    #[test]
    fn modules_of_unexpected_form_are_refused() {
        let imports = [import("memory", &[2, 0, 1]), import("table", &[1, 0x70, 0, 9])];
        let good = module(&imports, &[shim(2)], (5, 0), (64, b"a"));
        assert!(merge_modules(&[good.clone(), good.clone()]).is_ok());
        let with_function = [&imports[..], &[import("f", &[0, 0])]].concat();
        assert!(merge_modules(&[module(&with_function, &[shim(2)], (5, 0), (64, b"a"))]).is_err());
        let types = good.windows(2).position(|bytes| bytes == [1, 0x7f]).unwrap();
        let mut others = good.clone();
        others[types + 1] = 0x7e;
        assert!(merge_modules(&[good, others]).is_err(), "modules with other types are refused");
    }

    #[test]
    fn constants_are_decoded_as_encoded() {
        for value in [0, 1, 63, 64, 127, 128, 8191, 8192, u32::MAX, 1 << 31] {
            let bytes = [signed(value), vec![END]].concat();
            let expression = [vec![I32_CONST], bytes].concat();
            let expression = ConstExpr::new(wasmparser::BinaryReader::new(&expression, 0));
            assert_eq!(constant(&expression).unwrap(), value);
        }
    }
}
