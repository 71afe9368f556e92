//! Korean words: particles off, and pairs of syllables so that a part of a compound is found.

/// Particles (조사) that follow a noun, longest first, so that the first match is the right one.
const PARTICLES: &[&str] = &[
    "으로부터",
    "에서부터",
    "이라고",
    "이라는",
    "에서는",
    "에서도",
    "에게서",
    "으로는",
    "으로도",
    "으로써",
    "으로서",
    "까지는",
    "부터는",
    "까지",
    "부터",
    "에서",
    "에게",
    "으로",
    "라고",
    "라는",
    "처럼",
    "보다",
    "마다",
    "조차",
    "이나",
    "이란",
    "에는",
    "에도",
    "과의",
    "와의",
    "들의",
    "들을",
    "들이",
    "들은",
    "하고",
    "한테",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "로",
    "와",
    "과",
    "도",
    "만",
];

/// Particles short and clear enough to be taken off a word of two syllables: `값을` is about `값`.
const CLEAR: &[char] = &['은', '는', '을', '를', '에', '의', '이', '가', '로'];

/// Whether `c` is a Hangul syllable.
pub(crate) fn is_syllable(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

/// The word without its particle, if at least two syllables stay.
pub(crate) fn strip_particle(word: &str) -> &str {
    const TWO_SYLLABLES: usize = 6;
    PARTICLES
        .iter()
        .filter_map(|particle| word.strip_suffix(particle))
        .find(|stem| stem.len() >= TWO_SYLLABLES)
        .unwrap_or(word)
}

/// The first syllable of a two-syllable word that ends in a particle.
pub(crate) fn lone_syllable(word: &str) -> Option<&str> {
    let (last_at, last) = word.char_indices().next_back()?;
    let one_before = word[..last_at].chars().count() == 1;
    (one_before && CLEAR.contains(&last)).then_some(&word[..last_at])
}

/// Neighbouring pairs of characters.
pub(crate) fn bigrams(word: &str) -> impl Iterator<Item = &str> {
    let starts = word.char_indices().map(|(at, _)| at);
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).skip(1);
    starts.zip(ends).map(|(start, end)| &word[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_come_off_longest_first_and_leave_two_syllables() {
        assert_eq!(strip_particle("서버에서는"), "서버");
        assert_eq!(strip_particle("결제를"), "결제");
        assert_eq!(strip_particle("사용자들을"), "사용자");
        assert_eq!(strip_particle("값을"), "값을");
        assert_eq!(strip_particle("처리"), "처리");
        assert_eq!(lone_syllable("값을"), Some("값"));
        assert_eq!(lone_syllable("결제"), None);
    }

    #[test]
    fn every_shorter_particle_stands_behind_the_longer_ones_it_ends() {
        for (at, particle) in PARTICLES.iter().enumerate() {
            for later in &PARTICLES[at + 1..] {
                assert!(
                    !later.ends_with(particle),
                    "{later} would never be reached: {particle} stands before it"
                );
            }
        }
    }

    #[test]
    fn bigrams_are_neighbours() {
        assert_eq!(bigrams("데이터").collect::<Vec<_>>(), ["데이", "이터"]);
        assert_eq!(bigrams("값").count(), 0);
    }
}
