//! Chance that can be repeated, and how much of it a run takes.

/// Numbers that look like chance and follow from a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed that `JARI_TEST_SEED` names, else `usual`: the same in every run, so that a failure is one tomorrow too.
    pub(crate) fn seeded(usual: u64) -> Self {
        let seed = std::env::var("JARI_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        Self::new(seed.unwrap_or(usual))
    }

    /// The next number: SplitMix64.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// How often a test tries: `short` where every change is tested, or what `JARI_TEST_ROUNDS` says.
pub(crate) fn rounds(short: usize) -> usize {
    std::env::var("JARI_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(short)
}
