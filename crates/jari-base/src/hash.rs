//! A number for bytes.

/// FNV-1a: tells things of ours apart that nobody forges, the same on every machine.
pub fn fingerprint<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let mix = |mixed: u64, byte: &u8| (mixed ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
