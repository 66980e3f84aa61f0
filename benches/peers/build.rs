//! Builds the C side of the peers, and hands on the versions of those that cannot say their own.
//!
//! OpenSSL is found by crate `openssl-sys`, which names its Debian package itself.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(error) = build() {
        println!("cargo::error={error}");
    }
}

fn build() -> Result<(), String> {
    let variable = |name| env::var(name).map_err(|_| format!("`{name}` is not set: cargo runs this"));
    let arch = variable("CARGO_CFG_TARGET_ARCH")?;
    if arch != "x86_64" {
        return Err(format!("there are no kernels to compare for `{arch}`, only for `x86_64`"));
    }
    let out = variable("OUT_DIR")?;
    ipsec_mb(Path::new(&out))?;
    isal(Path::new(&out))?;
    versions(&Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../../Cargo.lock"))
}

fn ipsec_mb(out: &Path) -> Result<(), String> {
    const PROBE: &str = "#include <intel-ipsec-mb.h>
        #if IMB_VERSION_NUM < IMB_VERSION(1, 3, 0)
        #error \"this is an older version\"
        #endif
        int main(void) { return alloc_mb_mgr(0) == 0; }
        ";
    const SHIM: &str = "src/ctr/ipsec_mb.c";
    println!("cargo::rerun-if-changed={SHIM}");
    link(out, "IPSec_MB", PROBE, "intel-ipsec-mb 1.3 is missing: install Debian package `libipsec-mb-dev`")?;
    cc::Build::new()
        .file(SHIM)
        .warnings_into_errors(true)
        .try_compile("byways_peers_ipsec_mb")
        .map_err(|error| format!("cannot compile `{SHIM}`: {error}"))
}

/// Sets `ISAL_VERSION` for the crate, too: the header alone has it.
fn isal(out: &Path) -> Result<(), String> {
    const PROBE: &str = "#include <isa-l.h>
        int main(void) { return crc16_t10dif(0, 0, 0) != 0; }
        ";
    const MARK: &str = "byways_isal_version";
    const NUMBERS: &str = "ISAL_MAJOR_VERSION . ISAL_MINOR_VERSION . ISAL_PATCH_VERSION";
    link(out, "isal", PROBE, "ISA-L is missing: install Debian package `libisal-dev`")?;
    let header = write(out, "isal_version.c", &format!("#include <isa-l.h>\n{MARK}\n{NUMBERS}\n"))?;
    let expanded = cc::Build::new().file(header).try_expand();
    let expanded = expanded.map_err(|error| format!("cannot preprocess `isa-l.h`: {error}"))?;
    let expanded = String::from_utf8_lossy(&expanded);
    // each number from the header has a line marker before it
    let behind = expanded.lines().skip_while(|line| line.trim() != MARK).skip(1);
    let version: String = behind.filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
    println!("cargo::rustc-env=ISAL_VERSION={version}");
    Ok(())
}

/// Links a program with the library first: what is missing then shows here, not at the end of the build.
fn link(out: &Path, library: &str, probe: &str, missing: &str) -> Result<(), String> {
    let compiler = cc::Build::new().try_get_compiler().map_err(|error| format!("no C compiler: {error}"))?;
    let source = write(out, &format!("{library}_probe.c"), probe)?;
    let mut command = compiler.to_command();
    command.arg(&source).arg("-o").arg(source.with_extension("")).arg(format!("-l{library}"));
    let output = command.output().map_err(|error| format!("cannot run the C compiler: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error") || line.contains("cannot")).unwrap_or(&said);
        return Err(format!("{missing} ({})", first.trim()));
    }
    println!("cargo::rustc-link-lib={library}");
    Ok(())
}

fn write(out: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = out.join(name);
    fs::write(&path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    Ok(path)
}

/// Sets a variable for each of these crates, such as `AES_VERSION`, from the lock file.
fn versions(lock: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).map_err(|error| format!("cannot read `Cargo.lock`: {error}"))?;
    for name in ["aes", "aria", "ctr", "crc", "crc-fast", "crc32fast"] {
        let head = format!("name = \"{name}\"\nversion = \"");
        let found: Vec<&str> = text.split(&head).skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let variable = name.replace('-', "_").to_uppercase();
        println!("cargo::rustc-env={variable}_VERSION={}", found.join(" or "));
    }
    Ok(())
}
