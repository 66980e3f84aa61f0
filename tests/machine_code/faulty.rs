//! Functions like counter-mode kernels of one register, plain and cached, like CRC kernels of three, and like ARIA kernels
//! of two and four, with a fault each. They are assembly, so as to be the same in every build; they are never called.

use std::arch::naked_asm;

/// The loop of an AES-128 kernel at xmm, with `$rounds` for the rounds but the last, `$extra` before the data are
/// stored and `$after` behind the loop.
macro_rules! xmm {
    ($name:ident, $rounds:expr, $extra:literal, $after:literal $(, $callee:ident = $function:path)?) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                "movdqa xmm0, xmm15",
                "pshufb xmm0, xmm14",
                "pxor xmm0, [rdi]",
                $rounds,
                "movdqu xmm1, [rsi]",
                "pxor xmm1, [rdi + 160]",
                "aesenclast xmm0, xmm1",
                $extra,
                "movdqu [rdx], xmm0",
                "paddq xmm15, xmm13",
                "add rsi, 16",
                "add rdx, 16",
                "sub rcx, 16",
                "jnz 2b",
                $after,
                "ret",
                $($callee = sym $function)?
            )
        }
    };
}

/// So many rounds.
macro_rules! straight {
    ($rounds:literal) => {
        concat!(".rept ", $rounds, "\n aesenc xmm0, [rdi + 16] \n .endr")
    };
}

/// A loop of so many rounds.
macro_rules! rolled {
    ($rounds:literal) => {
        concat!("mov eax, 4 \n 3: \n", straight!($rounds), "\n dec eax \n jnz 3b")
    };
}

/// The same at ymm.
macro_rules! ymm {
    ($name:ident, $extra:literal) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "vbroadcasti128 ymm2, [rdi]",
                "2:",
                "vpshufb ymm0, ymm15, ymm14",
                "vpxor ymm0, ymm0, ymm2",
                ".rept 9",
                "vaesenc ymm0, ymm0, ymm2",
                ".endr",
                "vpxor ymm1, ymm2, [rsi]",
                "vaesenclast ymm0, ymm0, ymm1",
                $extra,
                "vmovdqu [rdx], ymm0",
                "vpaddq ymm15, ymm15, ymm13",
                "add rsi, 32",
                "add rdx, 32",
                "sub rcx, 32",
                "jnz 2b",
                "vzeroupper",
                "ret",
            )
        }
    };
}

/// The loops of a cached AES-128 kernel at xmm: one that makes the table, one that uses it and one that wipes it, all
/// in a loop, and then one without a table.
macro_rules! cached {
    ($name:ident, $make:expr, $use:expr, $wipe:expr) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                "xor eax, eax",
                $make,
                "lea r8, [rsp + 64]",
                $use,
                $wipe,
                "dec r11",
                "jnz 2b",
                "6:",
                "movdqa xmm0, xmm15",
                "pxor xmm0, [rdi]",
                straight!(9),
                last!(),
                "jnz 6b",
                "ret",
            )
        }
    };
}

/// The loop that makes the table.
macro_rules! make {
    () => {
        make!("")
    };
    ($extra:literal) => {
        concat!(
            "3: \n pxor xmm0, [rdi] \n",
            straight!(2),
            "\n movdqa xmm2, xmm0 \n pxor xmm2, xmm12 \n",
            "movdqa [rsp + rax + 64], xmm2 \n add eax, 16 \n",
            $extra,
            "\n",
            straight!(7),
            last!(),
            "jnz 3b"
        )
    };
}

/// The loop that uses the table.
macro_rules! use_ {
    ($rounds:literal) => {
        use_!($rounds, "")
    };
    ($rounds:literal, $extra:literal) => {
        concat!(
            "4: \n movdqa xmm0, xmm12 \n pxor xmm0, [r8] \n add r8, 16 \n",
            $extra,
            "\n",
            straight!($rounds),
            last!(),
            "jnz 4b"
        )
    };
}

/// The loop that wipes the table.
macro_rules! wipe {
    () => {
        wipe!("movdqa [r9 + 64], xmm3")
    };
    ($store:literal) => {
        concat!("mov r9, rsp \n pxor xmm3, xmm3 \n 5: \n", $store, "\n add r9, 16 \n sub rax, 16 \n jnz 5b")
    };
}

/// The last round, and on to the next data.
macro_rules! last {
    () => {
        "\n movdqu xmm1, [rsi] \n aesenclast xmm0, xmm1 \n movdqu [rdx], xmm0 \n add rdx, 16 \n sub rcx, 16 \n"
    };
}

/// The loops of a CRC kernel of three registers at xmm: one over batches, and one over the registers left.
macro_rules! crc {
    ($name:ident, $batch:expr, $left:expr $(, $callee:ident = $function:path)?) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                $batch,
                "add rdx, 48",
                "sub rcx, 48",
                "jnz 2b",
                $left,
                "ret",
                $($callee = sym $function)?
            )
        }
    };
}

/// The same so many times.
macro_rules! times {
    ($times:literal, $what:expr) => {
        concat!(".rept ", $times, "\n", $what, "\n .endr \n")
    };
}

macro_rules! prefetch {
    () => {
        "prefetcht0 [rdx + 2048] \n"
    };
}

/// A register of a batch, with `$pre` for what is done with its data first.
macro_rules! fold {
    () => {
        fold!("")
    };
    ($pre:literal) => {
        concat!(
            "movdqu xmm2, [rdx] \n",
            $pre,
            "\n movdqa xmm3, xmm0 \n pclmulqdq xmm3, xmm1, 0 \n pclmulqdq xmm0, xmm1, 17 \n",
            "pxor xmm0, xmm3 \n pxor xmm0, xmm2"
        )
    };
}

/// One of the registers left.
macro_rules! add {
    () => {
        add!("")
    };
    ($pre:literal) => {
        concat!(
            "movdqu xmm2, [rdx] \n",
            $pre,
            "\n movdqu xmm1, [rdi] \n movdqa xmm3, xmm2 \n pclmulqdq xmm3, xmm1, 0 \n pclmulqdq xmm2, xmm1, 17 \n",
            "pxor xmm0, xmm3 \n pxor xmm0, xmm2"
        )
    };
}

/// The loop over the registers left.
macro_rules! left {
    () => {
        left!(add!())
    };
    ($what:expr) => {
        concat!("3: \n", $what, "\n sub rcx, 16 \n jnz 3b \n")
    };
}

/// The batch of a sound kernel, and something more.
macro_rules! batch {
    () => {
        batch!("")
    };
    ($extra:literal) => {
        concat!(prefetch!(), times!(3, fold!()), $extra)
    };
}

/// The same at zmm, with `$add` for the sum of a register and its products.
macro_rules! crc_zmm {
    ($name:ident, $add:literal) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                ".rept 3",
                "prefetcht0 [rdx + 2048]",
                "vmovdqu64 zmm2, [rdx]",
                "vpclmulqdq zmm3, zmm0, zmm1, 0",
                "vpclmulqdq zmm0, zmm0, zmm1, 17",
                $add,
                ".endr",
                "add rdx, 192",
                "sub rcx, 192",
                "jnz 2b",
                "3:",
                "vmovdqu64 zmm2, [rdx]",
                "vpclmulqdq zmm3, zmm2, [rdi], 0",
                "vpclmulqdq zmm2, zmm2, zmm1, 17",
                "vpternlogq zmm0, zmm2, zmm3, 150",
                "sub rcx, 64",
                "jnz 3b",
                "vzeroupper",
                "ret",
            )
        }
    };
}

xmm!(sound_xmm, straight!(9), "", "");
xmm!(sound_xmm_rolled, concat!("aesenc xmm0, xmm2 \n", rolled!(2)), "", "");
ymm!(sound_ymm, "");

xmm!(spill, straight!(9), "movdqa [rsp - 24], xmm15", "");
xmm!(reload_as_an_operand, straight!(9), "pxor xmm0, [rsp - 24]", "");
xmm!(spill_behind_the_loop, straight!(9), "", "movaps [rsp - 24], xmm0");
xmm!(constant_spill, straight!(9), "", "pxor xmm0, xmm0 \n movaps [rsp - 24], xmm0");
xmm!(spill_to_a_frame, straight!(9), "movdqa [rbp - 32], xmm15", "mov rbp, rsp");

xmm!(reload_from_a_table, straight!(9), "pxor xmm0, [rsp + rax]", "");

xmm!(call, straight!(9), "call {callee}", "", callee = sound_xmm);
xmm!(indirect_call, straight!(9), "call rax", "");
xmm!(tail_call, straight!(9), "", "jmp {callee}", callee = sound_ymm);

xmm!(vex_at_xmm, straight!(9), "vpxor xmm0, xmm0, xmm1", "");
ymm!(evex_at_ymm, "vpxorq ymm0, ymm0, ymm16");
ymm!(sse_at_ymm, "pxor xmm0, xmm1");

xmm!(round_too_many, straight!(10), "", "");
xmm!(round_too_few, straight!(8), "", "");
xmm!(round_too_many_rolled, rolled!(2), "", "");
xmm!(last_round_twice, straight!(9), "aesenclast xmm0, xmm1", "");
xmm!(store_twice, straight!(9), "movdqu [rdx], xmm1", "");

#[unsafe(naked)]
pub(crate) unsafe extern "C" fn no_loop() {
    naked_asm!("aesenc xmm0, xmm1", "ret")
}

cached!(sound_cached, make!(), use_!(7), wipe!());
cached!(spill_beside_the_table, make!("movdqa [rsp + 8], xmm12"), use_!(7), wipe!());
cached!(reload_beside_the_table, make!(), use_!(7, "pxor xmm0, [rsp + 8]"), wipe!());
cached!(
    constant_between,
    concat!("pxor xmm5, xmm5 \n movq xmm6, rax \n paddq xmm5, xmm6 \n movdqa [rsp + 8], xmm5 \n", make!()),
    concat!("movdqa xmm5, [rsp + 8] \n", use_!(7)),
    wipe!()
);
cached!(key_between, concat!("movdqa xmm5, [rdi] \n movdqa [rsp + 8], xmm5 \n", make!()), use_!(7), wipe!());
cached!(
    state_between,
    concat!("pxor xmm5, xmm5 \n aesenc xmm5, xmm5 \n movdqa [rsp + 8], xmm5 \n", make!()),
    use_!(7),
    wipe!()
);
cached!(
    constant_or_key_between,
    concat!("pxor xmm5, xmm5 \n 7: \n movdqa [rsp + 8], xmm5 \n movdqa xmm5, [rdi] \n dec ecx \n jnz 7b \n", make!()),
    use_!(7),
    wipe!()
);
cached!(spill_between, make!(), concat!("movdqa [rsp + 8], xmm12 \n", use_!(7)), wipe!());
cached!(table_store_twice, make!("movdqa [rsp + rax], xmm2"), use_!(7), wipe!());
cached!(table_load_twice, make!(), use_!(7, "pxor xmm0, [r8]"), wipe!());
cached!(round_too_few_with_the_table, make!(), use_!(6), wipe!());
cached!(table_not_used, make!(), "", wipe!());
cached!(table_used_twice, make!(), concat!(use_!(7), "\n", use_!(7)), wipe!());
cached!(no_wipe, make!(), use_!(7), "");
cached!(wipe_of_one, make!(), use_!(7), "pxor xmm3, xmm3 \n movdqa [r8], xmm3");
cached!(wipe_elsewhere, make!(), use_!(7), wipe!("movdqa [rdx], xmm3"));
cached!(wipe_with_others, make!(), use_!(7), wipe!("movdqa [r9 + 64], xmm4"));
cached!(wipe_that_begins_well, make!(), use_!(7), wipe!("movdqa [r9 + 64], xmm3 \n movdqa xmm3, xmm4"));

crc!(sound_crc, batch!(), left!());
crc!(sound_crc_unrolled, batch!(), left!(times!(2, add!())));
crc!(sound_crc_swap, concat!(prefetch!(), times!(3, fold!("pshufb xmm2, xmm4"))), left!(add!("pshufb xmm2, xmm4")));
crc!(
    sound_crc_rev,
    concat!(prefetch!(), times!(3, fold!("gf2p8affineqb xmm2, xmm4, 0"))),
    left!(add!("gf2p8affineqb xmm2, xmm4, 0"))
);
crc!(sound_crc_lone, concat!(times!(3, prefetch!()), times!(10, fold!())), concat!(left!(), left!()));
crc_zmm!(sound_crc_zmm, "vpternlogq zmm0, zmm2, zmm3, 150");
crc!(
    sound_crc_fused,
    concat!(prefetch!(), fold!(), "\n .rept 2 \n crc32 rax, qword ptr [rsi] \n .endr"),
    left!(concat!(prefetch!(), fold!()))
);

crc!(product_too_many, batch!("pclmulqdq xmm0, xmm1, 0"), left!());
crc!(
    product_too_few,
    concat!(
        prefetch!(),
        times!(2, fold!()),
        "movdqu xmm2, [rdx] \n pclmulqdq xmm0, xmm1, 0 \n pxor xmm0, xmm2 \n pxor xmm0, xmm3"
    ),
    left!()
);
crc!(product_too_many_unrolled, batch!(), left!(concat!(times!(2, add!()), "pclmulqdq xmm0, xmm1, 0")));
crc!(xor_too_many, batch!(), left!(concat!(add!(), "\n pxor xmm0, xmm2")));
crc_zmm!(xors_one_by_one, "vpxorq zmm0, zmm0, zmm2 \n vpxorq zmm0, zmm0, zmm3");
crc!(constant_as_an_operand, batch!("paddq xmm2, [rdi]"), left!());
crc!(no_prefetch, times!(3, fold!()), left!());
crc!(word_in_a_fold, batch!("crc32 rax, rdx"), left!());
crc!(
    word_too_few,
    concat!(prefetch!(), fold!(), "\n crc32 rax, rdx \n crc32 rax, qword ptr [rsi]"),
    left!(concat!(prefetch!(), fold!()))
);
crc!(no_left, batch!(), "");
crc!(left_twice, batch!(), concat!(left!(), left!()));
crc!(write, batch!(), concat!(left!(), "mov [rdx], rax"));
crc!(vector_write, batch!("movdqu [rdx], xmm0"), left!());
crc!(crc_call, batch!(), concat!(left!(), "call {callee}"), callee = sound_crc);
crc!(crc_spill, batch!("movdqa [rsp - 24], xmm0"), left!());
crc!(crc_spill_behind, batch!(), concat!(left!(), "movdqa [rsp - 24], xmm0"));
crc!(
    power_before_chunks,
    concat!(prefetch!(), fold!(), "\n .rept 2 \n crc32 rax, qword ptr [rsi] \n .endr"),
    concat!("movdqa [rsp - 24], xmm4 \n", left!(concat!(prefetch!(), fold!())))
);
crc!(crc_reload_when_left, batch!(), left!(concat!(add!(), "\n paddq xmm0, [rsp - 24]")));
crc!(crc_vex, batch!(), concat!(left!(), "vpaddq xmm0, xmm0, xmm1"));

/// The loop over batches of an ARIA kernel at xmm, in it the one over pairs of round keys, and behind it `$wipe`.
macro_rules! aria {
    ($name:ident, $pair:expr, $wipe:expr $(, $callee:ident = $function:path)?) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                "movdqu xmm0, [rsi]",
                "mov rax, rdi",
                "3:",
                $pair,
                "pxor xmm0, [rax]",
                "add rax, 64",
                "cmp rax, r8",
                "jne 3b",
                "movdqu [rdx], xmm0",
                "add rsi, 32",
                "add rdx, 32",
                "sub rcx, 32",
                "jnz 2b",
                "pxor xmm2, xmm2",
                $wipe,
                "ret",
                $($callee = sym $function)?
            )
        }
    };
}

/// Two rounds of a pair of registers.
macro_rules! pair {
    ($($extra:literal)?) => {
        concat!(
            times!(4, "gf2p8affineqb xmm0, xmm4, 0 \n gf2p8affineinvqb xmm0, xmm5, 0"),
            times!(20, "pshufb xmm0, xmm6"),
            $($extra)?
        )
    };
}

/// Two rounds of a register a class, by AES rounds.
macro_rules! classes {
    ($($extra:literal)?) => {
        concat!(times!(4, "aesenclast xmm0, xmm4 \n aesdeclast xmm0, xmm5"), $($extra)?)
    };
}

/// Zeros to the room of eight registers.
macro_rules! wipe {
    () => {
        concat!(
            "movdqa [rdx], xmm2 \n movdqa [rdx + 16], xmm2 \n movdqa [rdx + 32], xmm2 \n movdqa [rdx + 48], xmm2 \n",
            "movdqa [rdx + 64], xmm2 \n movdqa [rdx + 80], xmm2 \n movdqa [rdx + 96], xmm2"
        )
    };
}

aria!(sound_aria, pair!(), "");
aria!(sound_aria_aessub, classes!(), "");
aria!(matrix_too_many, pair!("gf2p8affineqb xmm0, xmm4, 0"), "");
aria!(inverse_too_many, pair!("gf2p8affineinvqb xmm0, xmm4, 0"), "");
aria!(byte_shuffle_too_many, pair!("pshufb xmm0, xmm6"), "");
aria!(store_in_a_pair, pair!("movdqu [rdx], xmm0"), "");
aria!(decryption_too_many, classes!("aesdeclast xmm0, xmm5"), "");
aria!(encryption_too_many, classes!("aesenclast xmm0, xmm5"), "");
aria!(sound_aria_with_a_room, concat!(classes!(), "\n", classes!()), concat!(wipe!(), "\n movdqa [rdx + 112], xmm2"));
aria!(room_not_wiped, concat!(classes!(), "\n", classes!()), "");
aria!(room_wiped_in_part, concat!(classes!(), "\n", classes!()), wipe!());
aria!(room_wiped_with_others, concat!(classes!(), "\n", classes!()), concat!(wipe!(), "\n movdqa [rdx + 112], xmm0"));
aria!(aria_call, pair!(), "call {callee}", callee = sound_aria);
aria!(aria_vex, pair!(), "vpaddq xmm0, xmm0, xmm1");
aria!(no_pairs, "", "");

/// The loop over batches of an ARIA kernel of one register, whose rounds are in one piece.
macro_rules! aria_zmm {
    ($name:ident, $extra:literal, $behind:literal) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                "vmovdqu64 zmm0, [rsi]",
                times!(16, "vgf2p8affineqb zmm0, zmm0, zmm4, 0 \n vgf2p8affineinvqb zmm0, zmm0, zmm5, 0"),
                $extra,
                "vmovdqu64 [rdx], zmm0",
                "add rsi, 64",
                "add rdx, 64",
                "sub rcx, 64",
                "jnz 2b",
                $behind,
                "ret"
            )
        }
    };
}

aria_zmm!(sound_aria_zmm, "", "");
aria_zmm!(aria_zmm_matrix_too_many, "vgf2p8affineqb zmm0, zmm0, zmm4, 0", "");
aria_zmm!(aria_zmm_spill, "vmovdqa64 [rsp - 64], zmm0", "");
aria_zmm!(aria_zmm_spill_behind, "", "vmovdqa64 [rsp - 64], zmm0");
