//! The binary that this test is: its functions by name, and what compiled it.

use std::collections::HashMap;
use std::sync::LazyLock;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// A function of the binary.
pub(crate) struct Function {
    /// The demangled name, without a hash.
    pub(crate) path: String,
    pub(crate) address: u64,
    pub(crate) code: &'static [u8],
}

impl Function {
    pub(crate) fn contains(&self, address: u64) -> bool {
        (self.address..self.address + self.code.len() as u64).contains(&address)
    }
}

pub(crate) struct Image {
    /// By the last part of the path.
    functions: HashMap<String, Vec<Function>>,
    /// Each with its address.
    sections: Vec<(u64, &'static [u8])>,
    /// What the loader writes where.
    pointers: HashMap<u64, u64>,
    /// The version of the compiler, as it notes it in what it makes.
    pub(crate) compiler: String,
}

impl Image {
    pub(crate) fn own() -> &'static Image {
        static OWN: LazyLock<Image> = LazyLock::new(|| {
            let path = std::env::current_exe().expect("a test is a file");
            Image::new(std::fs::read(path).expect("a test can read itself").leak())
        });
        &OWN
    }

    fn new(bytes: &'static [u8]) -> Self {
        let file: ElfFile64<'static> = ElfFile64::parse(bytes).expect("a test is an ELF file");
        let sections: HashMap<_, _> = file
            .sections()
            .map(|section| (section.index(), (section.address(), section.data().expect("a section has its data"))))
            .collect();
        let mut functions: HashMap<String, Vec<Function>> = HashMap::new();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
            let Some(&(start, data)) = symbol.section_index().and_then(|index| sections.get(&index)) else { continue };
            let from = (symbol.address() - start) as usize;
            let code = &data[from..from + symbol.size() as usize];
            let path = format!("{:#}", rustc_demangle::demangle(symbol.name().unwrap_or_default()));
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            functions.entry(name).or_default().push(Function { path, address: symbol.address(), code });
        }
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let pointers = relocations.map(|(at, relocation)| (at, relocation.addend() as u64)).collect();
        let compiler = compiler(&file).unwrap_or_else(|| "an unknown compiler".to_owned());
        Image { functions, sections: sections.into_values().collect(), pointers, compiler }
    }

    /// The function of this name, anywhere in the crate or module `within`.
    pub(crate) fn function(&self, within: &str, name: &str) -> Result<&Function, String> {
        let within = format!("{within}::");
        let mut named = self.functions.get(name).into_iter().flatten().filter(|f| f.path.starts_with(&within));
        match (named.next(), named.next()) {
            (Some(function), None) => Ok(function),
            (None, _) => Err(format!("{name}: no function of this name in {within}")),
            (Some(one), Some(other)) => Err(format!("{name}: both {} and {}", one.path, other.path)),
        }
    }

    /// The number at this address.
    pub(crate) fn i32_at(&self, address: u64) -> Option<i32> {
        let loaded = self.sections.iter().filter(|&&(start, _)| (1..=address).contains(&start));
        let mut bytes = loaded.filter_map(|&(start, data)| data.get((address - start) as usize..)?.first_chunk());
        bytes.next().map(|&bytes| i32::from_le_bytes(bytes))
    }

    /// The path of the function at this address.
    pub(crate) fn path_at(&self, address: u64) -> Option<&str> {
        self.functions.values().flatten().find(|f| f.contains(address)).map(|f| f.path.as_str())
    }

    /// The path of the function to which a pointer is at this address.
    pub(crate) fn path_by(&self, pointer: u64) -> Option<&str> {
        self.pointers.get(&pointer).and_then(|&address| self.path_at(address))
    }
}

fn compiler(file: &ElfFile64<'static>) -> Option<String> {
    let comments = file.section_by_name(".comment")?.data().ok()?;
    let comments = comments.split(|&byte| byte == 0).filter_map(|comment| std::str::from_utf8(comment).ok());
    let rustc: Vec<&str> = comments.filter(|comment| comment.starts_with("rustc ")).collect();
    (!rustc.is_empty()).then(|| rustc.join(", "))
}
