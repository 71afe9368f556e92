//! Which block of a translated page is which block of the page it was made from.

use jari_embed::hash;

use crate::markdown::Block;

/// What leaving a block out costs, against one for a match: pages of different versions differ by some blocks.
const GAP: f32 = 0.4;

/// Pairs of an English and a Korean block that say the same.
pub(crate) fn pairs<'a>(english: &'a [Block], korean: &'a [Block]) -> Vec<(&'a str, &'a str)> {
    let (english, korean): (Vec<_>, Vec<_>) =
        (english.iter().map(Side::new).collect(), korean.iter().map(Side::new).collect());
    let width = korean.len() + 1;
    let mut best = vec![0.0f32; (english.len() + 1) * width];
    let mut came = vec![Step::Skip; best.len()];
    for one in 0..=english.len() {
        for two in 0..=korean.len() {
            let here = one * width + two;
            if one == 0 || two == 0 {
                best[here] = -GAP * (one + two) as f32;
                came[here] = if two == 0 { Step::SkipEnglish } else { Step::Skip };
                continue;
            }
            let options = [
                (best[here - width - 1] + likeness(&english[one - 1], &korean[two - 1]), Step::Match),
                (best[here - width] - GAP, Step::SkipEnglish),
                (best[here - 1] - GAP, Step::Skip),
            ];
            (best[here], came[here]) = options
                .into_iter()
                .reduce(|best, next| if next.0 > best.0 { next } else { best })
                .expect("three");
        }
    }
    let (mut one, mut two) = (english.len(), korean.len());
    let mut found = Vec::new();
    while one > 0 && two > 0 {
        match came[one * width + two] {
            Step::Match => {
                (one, two) = (one - 1, two - 1);
                if likeness(&english[one], &korean[two]) > 0.3 {
                    found.push((english[one].block.text(), korean[two].block.text()));
                }
            }
            Step::SkipEnglish => one -= 1,
            Step::Skip => two -= 1,
        }
    }
    found.reverse();
    found
}

#[derive(Clone, Copy)]
enum Step {
    Match,
    SkipEnglish,
    Skip,
}

struct Side<'a> {
    block: &'a Block,
    /// Hashes of its Latin words and numbers, sorted: a translation keeps names as they are.
    latin: Vec<u64>,
    length: f32,
}

impl<'a> Side<'a> {
    fn new(block: &'a Block) -> Self {
        let words = block.text().split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1);
        let mut latin: Vec<u64> = words.map(|word| hash(word.to_ascii_lowercase().as_bytes())).collect();
        latin.sort_unstable();
        latin.dedup();
        Self { block, latin, length: block.text().chars().count().max(1) as f32 }
    }
}

/// From −1 for what cannot be the same to about 1 for what must be.
fn likeness(english: &Side<'_>, korean: &Side<'_>) -> f32 {
    let kept = korean.latin.iter().filter(|word| english.latin.binary_search(word).is_ok()).count() as f32;
    let share = if korean.latin.is_empty() { 0.6 } else { kept / korean.latin.len() as f32 };
    match (english.block, korean.block) {
        (Block::Heading(one, _), Block::Heading(two, _)) if one == two => share.max(0.4),
        (Block::Code(_), Block::Code(_)) => share,
        (Block::Text(_), Block::Text(_)) => {
            // Korean says the same in about half the characters.
            let ratio = korean.length / english.length;
            if (0.2..=1.3).contains(&ratio) { share } else { -0.5 }
        }
        _ => -1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::blocks;

    #[test]
    fn blocks_meet_across_what_only_one_page_has() {
        let english = blocks(
            "# Routing\nA `Route` maps a path to a handler.\n\nA new paragraph about `Middleware` only here.\n\nUse `Router` to add one.\n",
        );
        let korean = blocks("# 라우팅\n`Route`는 경로를 핸들러에 연결합니다.\n\n`Router`로 추가합니다.\n");
        let found = pairs(&english, &korean);
        assert_eq!(found[0], ("Routing", "라우팅"));
        assert_eq!(found[1].0, "A Route maps a path to a handler.");
        assert_eq!(found[2], ("Use Router to add one.", "Router로 추가합니다."));
    }
}
