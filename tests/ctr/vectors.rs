//! Every line of `ctr.jsonl`, on every tier: whole, cut at every place, in place and from one buffer to another.

use byways::Width;

use crate::cases;
use crate::play::{Place, on_every_tier, play};

#[test]
fn every_line_whole() {
    let cases = cases::all().unwrap();
    assert!(cases.len() >= 90, "lines were lost");
    for case in &cases {
        on_every_tier(case, |key| {
            for borrowed in [false, true] {
                for place in [Place::Same(0), Place::Same(13), Place::Apart(0, 0), Place::Apart(7, 50)] {
                    play(case, key, borrowed, place, &[]);
                }
            }
        });
    }
}

#[test]
fn every_line_cut_at_every_place() {
    for case in &cases::all().unwrap() {
        on_every_tier(case, |key| {
            // unoptimised, the crates that stand in are slow
            let alternate = key.width() == Width::Fallback;
            for cut in 1..case.input.len() {
                if !alternate || cut % 2 == 0 {
                    play(case, key, true, Place::Same(cut * 5 % 64), &[cut]);
                }
                if !alternate || cut % 2 == 1 {
                    play(case, key, true, Place::Apart(cut * 7 % 64, cut * 3 % 64), &[cut]);
                }
            }
        });
    }
}

#[test]
fn every_line_in_many_pieces() {
    for case in &cases::all().unwrap() {
        on_every_tier(case, |key| {
            for piece in [1, 3, 15, 16, 17, 31, 64, 100, 1000] {
                let cuts: Vec<usize> = (1..case.input.len()).step_by(piece).collect();
                play(case, key, false, Place::Same(piece % 64), &cuts);
                play(case, key, true, Place::Apart(piece % 64, 0), &cuts);
            }
        });
    }
}

/// The lines of a requirement, all of which must be there.
fn requirement(ids: &[&str]) {
    let cases = cases::all().unwrap();
    for id in ids {
        let case = cases.iter().find(|case| case.id == *id).unwrap_or_else(|| panic!("the line {id} is missing"));
        on_every_tier(case, |key| {
            for cut in 0..case.input.len().min(200) {
                play(case, key, false, Place::Same(0), &[cut]);
                play(case, key, true, Place::Apart(1, 2), &[cut]);
            }
        });
    }
}

#[test]
fn a01_a_128_bit_counter_carries_through_all_bits() {
    requirement(&["A01-aes128", "A01-aes192", "A01-aes256"]);
}

#[test]
fn a02_each_counter_width_leaves_the_other_bytes_alone() {
    requirement(&["A02-lo32-width32", "A02-lo32-width64", "A02-lo32-width128"]);
    requirement(&["A02-lo64-width32", "A02-lo64-width64", "A02-lo64-width128"]);
}

#[test]
fn a03_a_counter_of_all_ones_is_like_any_other() {
    requirement(&["A03-width32-oneblock", "A03-width64-oneblock", "A03-width128-oneblock"]);
    requirement(&["A03-width32-allones", "A03-width64-allones", "A03-width128-allones"]);
}

#[test]
fn a04_one_pass_equals_many() {
    requirement(&["A04-96", "A04-32x3", "A04-11-56"]);
}

#[test]
fn a05_in_place_works_for_every_length() {
    requirement(&["A05-37", "A05-1"]);
}

#[test]
fn a06_a_new_counter_drops_what_was_left() {
    requirement(&["A06"]);
}

#[test]
fn a07_positions_are_right() {
    requirement(&["A07-seek16", "A07-pos4096", "A07-seek21"]);
}
