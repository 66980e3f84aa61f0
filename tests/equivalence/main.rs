//! Every kernel, interpreted always and native where the CPU allows, against crates `aes` and `ctr` and against
//! published vectors. What could not run natively is listed by name at the end.

#[cfg(target_arch = "x86_64")]
mod calls;
#[cfg(target_arch = "x86_64")]
#[path = "../cases/mod.rs"]
mod cases;
#[cfg(target_arch = "x86_64")]
mod pages;
#[cfg(target_arch = "x86_64")]
mod vectors;

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
fn main() -> ExitCode {
    use byways::Registered;
    use byways::verify::ctr::Way;
    use libtest_mimic::{Arguments, Completion, Trial};

    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut missing = Vec::new();
    for registered in byways::kernels() {
        let name = registered.name();
        let Registered::Ctr(kernel) = registered else { continue };
        if let Err(features) = kernel.prove(byways::cpu::Detected::get()) {
            missing.push(format!("{name}: {features}"));
        }
        let subject = move || calls::Subject::new(kernel);
        let native = move |check: fn(&calls::Subject, &Way) -> Result<(), String>| {
            move || match Way::native(kernel) {
                Ok(way) => check(&subject(), &way).map(|()| Completion::Completed).map_err(Into::into),
                Err(missing) => Ok(Completion::ignored_with(missing)),
            }
        };
        for (what, check) in calls::CHECKS {
            trials.push(Trial::test(format!("interpreted::{what}::{name}"), move || {
                let subject = subject();
                check(&subject, &Way::interpreted(subject.variant)).map_err(Into::into)
            }));
            trials.push(Trial::ignorable_test(format!("native::{what}::{name}"), native(*check)));
        }
        for (what, check) in calls::NATIVE_CHECKS {
            trials.push(Trial::ignorable_test(format!("native::{what}::{name}"), native(*check)));
        }
    }
    assert!(!trials.is_empty(), "the registry lists kernels");
    for width in byways_codegen::spec::Width::ALL {
        let name = format!("interpreted::every_unroll::{width}");
        trials.push(Trial::test(name, move || calls::every_unroll(width).map_err(Into::into)));
    }
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
