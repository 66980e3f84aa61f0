//! Every kernel, interpreted always and native where the CPU allows, against independent implementations (crates `aes`,
//! `aria` and `ctr`, crate `crc`) and against published vectors. What could not run natively is listed by name at the end.

#[cfg(target_arch = "x86_64")]
mod aria;
#[cfg(target_arch = "x86_64")]
#[path = "../cases/aria.rs"]
mod cases;
#[cfg(target_arch = "x86_64")]
mod crc;
#[cfg(target_arch = "x86_64")]
mod ctr;
#[cfg(target_arch = "x86_64")]
#[path = "../cases/json.rs"]
mod json;
#[cfg(target_arch = "x86_64")]
#[path = "../crc/pages.rs"]
mod pages;
#[cfg(target_arch = "x86_64")]
mod trials;

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
fn main() -> ExitCode {
    use byways::Registered;
    use byways::cpu::Detected;
    use libtest_mimic::Arguments;

    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut missing = Vec::new();
    for registered in byways::kernels() {
        let (of_kernel, proven) = match registered {
            Registered::Ctr(kernel) => (ctr::of_kernel(kernel), kernel.prove(Detected::get()).err()),
            Registered::Crc(kernel) => (crc::of_kernel(kernel), kernel.prove(Detected::get()).err()),
            Registered::Aria(kernel) => (aria::of_kernel(kernel), kernel.prove(Detected::get()).err()),
            other => panic!("nothing is known of {}", other.name()),
        };
        trials.extend(of_kernel);
        missing.extend(proven.map(|features| format!("{}: {features}", registered.name())));
    }
    assert!(!trials.is_empty(), "the registry lists kernels");
    trials.extend(ctr::of_every_unroll().chain(crc::of_every_unroll()));
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        match missing.as_slice() {
            [] => println!("every kernel ran natively on this CPU"),
            missing => println!("interpreted only, since this CPU cannot run them:\n  {}", missing.join("\n  ")),
        }
    }
    conclusion.exit_code()
}

#[cfg(not(target_arch = "x86_64"))]
fn main() -> ExitCode {
    println!("there are no kernels on this architecture");
    println!("0 passed, 0 failed");
    ExitCode::SUCCESS
}
