//! Facts about the machine code of every kernel: this test disassembles its own binary and holds the loops over data of
//! each against the cost of the blocks of the kernel's program.
//!
//! Asserted of every kernel: nothing is called, each of its loops is there and has exactly what the cost says, no
//! instruction is encoded for wider registers than the kernel's, and nothing is spilled where the cost says that the
//! registers suffice. What the compiler spills in other loops is a snapshot, compared where the same compiler made it.
//!
//! In counter mode that are AES rounds, stores and table accesses, and a table is wiped; in CRCs products, bytes and bits
//! moved, xors, loads, prefetches and words for the CRC instruction, and nothing is written but the stack.
//! In ARIA that are S-boxes, bytes moved and stores, in the loop over pairs of round keys, and the room for blocks that fill
//! no batch is wiped.
//!
//! It holds of kernels that are compiled without debug assertions, which check every access to memory.
//!
//! `faulty` holds functions with a fault each, which must be found.

// symbols with sizes, and a calling convention without vector registers to save
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

#[path = "machine_code/facts.rs"]
mod facts;
#[path = "machine_code/faulty.rs"]
#[allow(unsafe_code)]
mod faulty;
#[path = "machine_code/flow.rs"]
mod flow;
#[path = "machine_code/image.rs"]
mod image;
#[path = "machine_code/known.rs"]
mod known;
#[path = "machine_code/listing.rs"]
mod listing;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::sync::LazyLock;

use byways_codegen::families;
use byways_codegen::ir::Program;
use byways_codegen::spec::{Variant, Width};

use facts::{Build, Expected, Fact, Fault, check, spilling};
use image::Image;
use listing::Listing;

struct Kernel {
    program: Program,
    listing: Listing<'static>,
}

impl Kernel {
    fn find(name: &str) -> Result<Self, String> {
        let function = Image::own().function("byways_kernels", name)?;
        Ok(Kernel { program: program(name), listing: Listing::new(function) })
    }
}

static KERNELS: LazyLock<Vec<Result<Kernel, String>>> =
    LazyLock::new(|| byways::kernels().map(|kernel| Kernel::find(kernel.name())).collect());

fn found() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().flatten()
}

fn program(name: &str) -> Program {
    families::program(name.parse::<Variant>().unwrap_or_else(|error| panic!("{error}")))
}

/// Tells what was not checked, also where the harness captures what a test that passes prints.
fn tell(message: &str) {
    std::io::stderr()
        .write_all(format!("machine_code: {message}\n").as_bytes())
        .expect("standard error can be written");
}

fn names<'a>(kernels: impl Iterator<Item = &'a Kernel>) -> String {
    kernels.map(|kernel| kernel.program.variant.to_string()).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_kernel_is_found() {
    let lost: Vec<&str> = KERNELS.iter().filter_map(|kernel| kernel.as_ref().err()).map(String::as_str).collect();
    assert!(lost.is_empty(), "\n{}\n", lost.join("\n"));
    assert!(found().next().is_some(), "there are no kernels");
}

#[test]
fn every_kernel_is_what_its_cost_says() {
    let of_width = |widths: &'static [Width]| found().filter(|kernel| widths.contains(&kernel.program.variant.width()));
    if Build::THIS.avx {
        let unchecked = names(of_width(&[Width::Xmm]));
        tell(&format!("all is compiled for AVX: not checked for VEX encodings: {unchecked}"));
    }
    if Build::THIS.avx512 {
        let unchecked = names(of_width(&[Width::Xmm, Width::Ymm]));
        tell(&format!("all is compiled for AVX-512: not checked for EVEX encodings: {unchecked}"));
    }
    let mut faults = String::new();
    for kernel in found() {
        let found = check(&kernel.listing, &Expected::of(&kernel.program, Build::THIS));
        for fault in &found {
            writeln!(faults, "{fault}").expect("a string can be written");
        }
        if !found.is_empty() {
            writeln!(faults, "    in {}", kernel.listing).expect("a string can be written");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn kernels_that_do_not_fit_spill_as_recorded() {
    let told = |kernel: &Kernel| spilling(&kernel.listing, &Expected::of(&kernel.program, Build::THIS));
    let spilling = || found().filter(|&kernel| told(kernel).is_some());
    let compiler = &Image::own().compiler;
    let recorded = recorded_compiler();
    if Build::THIS.tuned {
        tell(&format!("all is compiled for a newer CPU: not compared with {SNAPSHOT}: {}", names(spilling())));
        return;
    }
    if let Some(recorded) = recorded.as_ref().filter(|recorded| *recorded != compiler) {
        tell(&format!(
            "{SNAPSHOT} is of {recorded}, this is {compiler}: not compared: {}; to record it anew, delete it and run \
             with INSTA_UPDATE=always",
            names(spilling())
        ));
        return;
    }
    let lines = found().filter_map(|kernel| Some(format!("{}: {}", kernel.program.variant, told(kernel)?)));
    let lines: Vec<String> = lines.collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("machine_code/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(compiler);
    settings.bind(|| insta::assert_snapshot!(RECORD, lines.join("\n")));
}

/// A record for each profile: kernels are optimised in either, but what they are put into is not, so that registers are
/// handed out otherwise.
const RECORD: &str = if cfg!(debug_assertions) { "spilling_dev" } else { "spilling" };

const SNAPSHOT: &str = if cfg!(debug_assertions) {
    "tests/machine_code/snapshots/spilling_dev.snap"
} else {
    "tests/machine_code/snapshots/spilling.snap"
};

/// The compiler that the snapshot is of, if there is a snapshot.
fn recorded_compiler() -> Option<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(SNAPSHOT);
    let snapshot = std::fs::read_to_string(path).ok()?;
    let description = snapshot.lines().find_map(|line| line.strip_prefix("description: "));
    Some(description.unwrap_or("an unknown compiler").trim_matches('"').to_owned())
}

#[test]
fn a_kernel_that_is_not_there_is_named() {
    let error = Kernel::find("aes128_ctr_by17_xmm").err().expect("by-17 does not fit");
    assert!(error.contains("aes128_ctr_by17_xmm"), "{error}");
}

/// What the check finds in a function of `faulty`, taken for the kernel of this name.
macro_rules! faults {
    ($function:ident as $name:ident) => {{
        black_box(faulty::$function as unsafe extern "C" fn());
        let function = Image::own().function(module_path!(), stringify!($function)).expect("it is linked");
        check(&Listing::new(function), &Expected::of(&program(stringify!($name)), Build::PLAIN))
    }};
}

/// A test that the check finds this and nothing else.
macro_rules! finds {
    ($test:ident: $function:ident as $name:ident, [$($fact:ident),*]) => {
        #[test]
        fn $test() {
            let faults = faults!($function as $name);
            let facts: Vec<Fact> = faults.iter().map(|fault| fault.fact).collect();
            assert_eq!(facts, [$(Fact::$fact),*] as [Fact; _]);
        }
    };
}

finds! { a_sound_function_is_sound_at_xmm: sound_xmm as aes128_ctr_by1_xmm, [] }
finds! { a_sound_function_is_sound_at_xmm_with_rounds_in_a_loop: sound_xmm_rolled as aes128_ctr_by1_xmm, [] }
finds! { a_sound_function_is_sound_at_ymm: sound_ymm as aes128_ctr_by2_ymm, [] }
finds! { a_spill_is_found: spill as aes128_ctr_by1_xmm, [Spills] }
finds! { a_reload_as_an_operand_is_found: reload_as_an_operand as aes128_ctr_by1_xmm, [Spills] }
finds! { a_spill_behind_the_loop_is_found: spill_behind_the_loop as aes128_ctr_by1_xmm, [Spills] }
finds! { a_spill_to_a_frame_is_found: spill_to_a_frame as aes128_ctr_by1_xmm, [Spills] }
finds! { a_reload_from_a_table_is_found: reload_from_a_table as aes128_ctr_by1_xmm, [TableLoads] }
finds! { a_call_is_found: call as aes128_ctr_by1_xmm, [Calls] }
finds! { an_indirect_call_is_found: indirect_call as aes128_ctr_by1_xmm, [Calls] }
finds! { a_tail_call_is_found: tail_call as aes128_ctr_by1_xmm, [Calls] }
finds! { vex_in_the_sse_tier_is_found: vex_at_xmm as aes128_ctr_by1_xmm, [Vex] }
finds! { evex_below_avx512_is_found: evex_at_ymm as aes128_ctr_by2_ymm, [Evex] }
finds! { sse_among_vex_is_found: sse_at_ymm as aes128_ctr_by2_ymm, [LegacySse] }
finds! { a_round_too_many_is_found: round_too_many as aes128_ctr_by1_xmm, [AesEnc] }
finds! { a_round_too_few_is_found: round_too_few as aes128_ctr_by1_xmm, [AesEnc] }
finds! { a_round_too_many_in_a_loop_is_found: round_too_many_rolled as aes128_ctr_by1_xmm, [AesEnc] }
finds! { a_last_round_too_many_is_found: last_round_twice as aes128_ctr_by1_xmm, [AesEncLast] }
finds! { a_store_too_many_is_found: store_twice as aes128_ctr_by1_xmm, [Stores] }
finds! { a_missing_loop_is_found: no_loop as aes128_ctr_by1_xmm, [Loops] }

finds! { a_sound_function_is_sound_with_a_table: sound_cached as aes128_ctr_cached_by1_xmm, [] }
finds! { a_spill_beside_the_table_is_found: spill_beside_the_table as aes128_ctr_cached_by1_xmm, [Spills] }
finds! { a_reload_beside_the_table_is_found: reload_beside_the_table as aes128_ctr_cached_by1_xmm, [Spills] }
finds! { a_spill_between_the_loops_is_found: spill_between as aes128_ctr_cached_by1_xmm, [Spills] }
finds! { a_constant_between_the_loops_is_sound: constant_between as aes128_ctr_cached_by1_xmm, [] }
finds! { a_key_between_the_loops_is_found: key_between as aes128_ctr_cached_by1_xmm, [Spills] }
finds! { a_state_between_the_loops_is_found: state_between as aes128_ctr_cached_by1_xmm, [Spills] }
finds! { a_constant_or_key_between_the_loops_is_found: constant_or_key_between as aes128_ctr_cached_by1_xmm, [Spills] }
finds! { a_constant_on_the_stack_without_a_table_is_found: constant_spill as aes128_ctr_by1_xmm, [Spills] }
finds! { a_table_store_too_many_is_found: table_store_twice as aes128_ctr_cached_by1_xmm, [TableStores] }
finds! { a_table_load_too_many_is_found: table_load_twice as aes128_ctr_cached_by1_xmm, [TableLoads] }
finds! { a_round_too_few_with_the_table_is_found: round_too_few_with_the_table as aes128_ctr_cached_by1_xmm, [AesEnc] }
finds! { a_table_that_is_not_used_is_found: table_not_used as aes128_ctr_cached_by1_xmm, [Loops] }
finds! { a_loop_too_many_is_found: table_used_twice as aes128_ctr_cached_by1_xmm, [Loops] }
finds! { a_table_that_is_not_wiped_is_found: no_wipe as aes128_ctr_cached_by1_xmm, [Wipes] }
finds! { a_wipe_without_a_loop_is_found: wipe_of_one as aes128_ctr_cached_by1_xmm, [Wipes, Spills] }
finds! { a_wipe_elsewhere_is_found: wipe_elsewhere as aes128_ctr_cached_by1_xmm, [Wipes] }
finds! { a_wipe_with_others_than_zeros_is_found: wipe_with_others as aes128_ctr_cached_by1_xmm, [Wipes, Spills] }
finds! { a_wipe_that_begins_with_zeros_is_found: wipe_that_begins_well as aes128_ctr_cached_by1_xmm, [Wipes, Spills] }
finds! { a_wipe_without_a_table_is_found: sound_cached as aes128_ctr_by1_xmm, [Loops, Spills] }

finds! { a_sound_crc_is_sound: sound_crc as crc_lsb_by3_xmm, [] }
finds! { a_sound_crc_is_sound_with_registers_in_one_round: sound_crc_unrolled as crc_lsb_by3_xmm, [] }
finds! { a_sound_crc_is_sound_with_bytes_moved: sound_crc_swap as crc_msb_swap_by3_xmm, [] }
finds! { a_sound_crc_is_sound_with_bits_moved: sound_crc_rev as crc_msb_rev_by3_xmm, [] }
finds! { a_sound_crc_is_sound_with_two_ends: sound_crc_lone as crc_lsb_by10_xmm, [] }
finds! { a_sound_crc_is_sound_at_zmm: sound_crc_zmm as crc_lsb_by12_zmm, [] }
finds! { a_sound_crc_is_sound_with_words: sound_crc_fused as crc32c_fused_by1_xmm, [] }
finds! { a_product_too_many_is_found: product_too_many as crc_lsb_by3_xmm, [Clmul] }
finds! { a_product_too_few_is_found: product_too_few as crc_lsb_by3_xmm, [Clmul] }
finds! { a_product_too_many_in_one_round_is_found: product_too_many_unrolled as crc_lsb_by3_xmm, [Clmul] }
finds! { bytes_not_moved_are_found: sound_crc as crc_msb_swap_by3_xmm, [Shuffles, Shuffles] }
finds! { bytes_moved_are_found: sound_crc_swap as crc_lsb_by3_xmm, [Shuffles, Shuffles] }
finds! { bits_not_moved_are_found: sound_crc as crc_msb_rev_by3_xmm, [Affine, Affine] }
finds! { bits_moved_are_found: sound_crc_rev as crc_lsb_by3_xmm, [Affine, Affine] }
finds! { an_xor_too_many_is_found: xor_too_many as crc_lsb_by3_xmm, [Xors] }
finds! { xors_one_by_one_are_found: xors_one_by_one as crc_lsb_by12_zmm, [Xors, Ternary] }
finds! { a_constant_as_an_operand_is_found: constant_as_an_operand as crc_lsb_by3_xmm, [Loads] }
finds! { a_missing_prefetch_is_found: no_prefetch as crc_lsb_by3_xmm, [Prefetches] }
finds! { a_word_in_a_fold_is_found: word_in_a_fold as crc_lsb_by3_xmm, [Crc32] }
finds! { a_word_too_few_is_found: word_too_few as crc32c_fused_by1_xmm, [WordLoads] }
finds! { a_missing_loop_over_what_is_left_is_found: no_left as crc_lsb_by3_xmm, [Loops] }
finds! { a_loop_too_many_over_what_is_left_is_found: left_twice as crc_lsb_by3_xmm, [Loops] }
finds! { a_write_is_found: write as crc_lsb_by3_xmm, [Writes] }
finds! { a_write_of_a_vector_is_found: vector_write as crc_lsb_by3_xmm, [Writes] }
finds! { a_call_in_a_crc_is_found: crc_call as crc_lsb_by3_xmm, [Calls] }
finds! { a_spill_in_a_crc_is_found: crc_spill as crc_lsb_by3_xmm, [Spills] }
finds! { a_spill_behind_a_crc_is_found: crc_spill_behind as crc_lsb_by3_xmm, [Spills] }
finds! { a_power_kept_on_the_stack_for_chunks_is_sound: power_before_chunks as crc32c_fused_by1_xmm, [] }
finds! { a_reload_over_what_is_left_is_found: crc_reload_when_left as crc_lsb_by3_xmm, [Spills] }
finds! { vex_in_a_crc_is_found: crc_vex as crc_lsb_by3_xmm, [Vex] }

finds! { a_sound_aria_is_sound: sound_aria as aria_ecb_by2_xmm, [] }
finds! { a_sound_aria_is_sound_with_a_room: sound_aria_with_a_room as aria_ecb_aessub_by8_xmm, [] }
finds! { a_sound_aria_is_sound_without_gfni: sound_aria_aessub as aria_ecb_aessub_by4_xmm, [] }
finds! { a_matrix_too_many_is_found: matrix_too_many as aria_ecb_by2_xmm, [Affine] }
finds! { an_inverse_too_many_is_found: inverse_too_many as aria_ecb_by2_xmm, [AffineInv] }
finds! { a_byte_shuffle_too_many_is_found: byte_shuffle_too_many as aria_ecb_by2_xmm, [Shuffles] }
finds! { a_store_in_a_pair_is_found: store_in_a_pair as aria_ecb_by2_xmm, [Stores] }
finds! { a_last_round_of_decryption_too_many_is_found: decryption_too_many as aria_ecb_aessub_by4_xmm, [AesDecLast] }
finds! { a_last_round_of_encryption_too_many_is_found: encryption_too_many as aria_ecb_aessub_by4_xmm, [AesEncLast] }
finds! { a_room_that_is_not_wiped_is_found: room_not_wiped as aria_ecb_aessub_by8_xmm, [RoomWipes] }
finds! { a_room_that_is_wiped_in_part_is_found: room_wiped_in_part as aria_ecb_aessub_by8_xmm, [RoomWipes] }
finds! { a_room_that_is_wiped_with_others_is_found: room_wiped_with_others as aria_ecb_aessub_by8_xmm, [RoomWipes] }
finds! { a_sound_aria_is_sound_at_zmm: sound_aria_zmm as aria_ecb_by4_zmm, [] }
finds! { a_matrix_too_many_in_one_piece_is_found: aria_zmm_matrix_too_many as aria_ecb_by4_zmm, [Affine] }
finds! { a_spill_in_aria_is_found: aria_zmm_spill as aria_ecb_by4_zmm, [Spills] }
finds! { a_spill_behind_aria_is_found: aria_zmm_spill_behind as aria_ecb_by4_zmm, [Spills] }
finds! { a_call_in_aria_is_found: aria_call as aria_ecb_by2_xmm, [Calls] }
finds! { vex_in_aria_is_found: aria_vex as aria_ecb_by2_xmm, [Vex] }
finds! { missing_pairs_are_found: no_pairs as aria_ecb_by2_xmm, [Loops] }

#[test]
fn a_fault_is_told_with_its_instructions() {
    let told: Vec<String> = faults!(call as aes128_ctr_by1_xmm).iter().map(Fault::to_string).collect();
    let call =
        "machine_code::faulty::call: calls: expected 0, found 1\n    +0x0056  call machine_code::faulty::sound_xmm";
    assert_eq!(told, [call]);
}
