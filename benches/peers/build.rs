//! Builds the C side of the peers, and hands on the versions of those that cannot say their own.
//!
//! OpenSSL is found by crate `openssl-sys`, which names its Debian package itself.

use std::path::Path;
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
    ipsec_mb(Path::new(&variable("OUT_DIR")?))?;
    versions(&Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../../Cargo.lock"))
}

/// Links a program with the library first: what is missing then shows here, not at the end of the build.
fn ipsec_mb(out: &Path) -> Result<(), String> {
    const PROBE: &str = "#include <intel-ipsec-mb.h>
        #if IMB_VERSION_NUM < IMB_VERSION(1, 3, 0)
        #error \"this is an older version\"
        #endif
        int main(void) { return alloc_mb_mgr(0) == 0; }
        ";
    const SHIM: &str = "src/ctr/ipsec_mb.c";
    println!("cargo::rerun-if-changed={SHIM}");
    let compiler = cc::Build::new().try_get_compiler().map_err(|error| format!("no C compiler: {error}"))?;
    let probe = out.join("probe.c");
    fs::write(&probe, PROBE).map_err(|error| format!("cannot write `{}`: {error}", probe.display()))?;
    let mut command = compiler.to_command();
    let output = command.arg(&probe).arg("-o").arg(out.join("probe")).arg("-lIPSec_MB").output();
    let output = output.map_err(|error| format!("cannot run the C compiler: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error") || line.contains("cannot")).unwrap_or(&said);
        return Err(format!(
            "intel-ipsec-mb 1.3 is missing: install Debian package `libipsec-mb-dev` ({})",
            first.trim()
        ));
    }
    cc::Build::new()
        .file(SHIM)
        .warnings_into_errors(true)
        .try_compile("byways_peers_ipsec_mb")
        .map_err(|error| format!("cannot compile `{SHIM}`: {error}"))?;
    println!("cargo::rustc-link-lib=IPSec_MB");
    Ok(())
}

/// Sets `AES_VERSION` and `CTR_VERSION` for the crate, from the lock file.
fn versions(lock: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).map_err(|error| format!("cannot read `Cargo.lock`: {error}"))?;
    for (name, variable) in [("aes", "AES_VERSION"), ("ctr", "CTR_VERSION")] {
        let head = format!("name = \"{name}\"\nversion = \"");
        let found: Vec<&str> = text.split(&head).skip(1).filter_map(|rest| rest.split('"').next()).collect();
        println!("cargo::rustc-env={variable}={}", found.join(" or "));
    }
    Ok(())
}
