//! How good answers are: questions with known places in, figures out.

use std::collections::BTreeMap;
use std::time::Duration;

/// Places that count.
const COUNTED: usize = 10;

/// A question with the places that answer it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// Names it in the run.
    pub id: String,
    /// What is asked.
    pub query: String,
    /// The project it is about, where a file asks about several.
    pub repo: Option<String>,
    /// The part of that project that is searched.
    pub root: Option<String>,
    /// What answers it.
    pub targets: Vec<Target>,
    /// Where the question was taken from: no answer.
    pub sources: Vec<Target>,
    /// The groups it belongs to, each as `key=value`.
    pub groups: Vec<String>,
}

/// A place, or a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// Relative to the folder that is searched, or to one above it.
    pub path: String,
    /// First line; none for the whole file.
    pub start_line: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
    /// Several places of the file, any of which will do.
    pub spans: Vec<[u32; 2]>,
}

/// A place that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Relative to the folder that was searched.
    pub path: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// What must be right about a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// File and lines.
    Span,
    /// The file; of several places in one file the first counts.
    File,
}

impl Target {
    /// Whether a file of the folder that is searched can be meant.
    pub fn is_in(&self, path: &str) -> bool {
        same_path(path, &self.path)
    }

    fn is_at(&self, place: &Place, level: Level) -> bool {
        let overlaps = |first: u32, last: u32| place.start_line <= last && place.end_line >= first;
        same_path(&place.path, &self.path)
            && match (level, self.start_line.zip(self.end_line)) {
                (Level::File, _) => true,
                _ if !self.spans.is_empty() => self.spans.iter().any(|[first, last]| overlaps(*first, *last)),
                (Level::Span, None) => true,
                (Level::Span, Some((first, last))) => overlaps(first, last),
            }
    }
}

/// Whether one is the other, or ends with it.
fn same_path(one: &str, two: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    one == two || ends(one, two) || ends(two, one)
}

/// How good one answer is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// NDCG@10: two targets at one place count once, and the ideal is all targets at the top.
    pub ndcg: f64,
    /// 1 if a target is the first place.
    pub hit_1: f64,
    /// 1 if a target is among the first five.
    pub hit_5: f64,
    /// 1 if a target is among the first ten.
    pub hit_10: f64,
    /// 1 divided by the place of the first target.
    pub mrr: f64,
}

/// Judges an answer, best place first.
pub fn judge(question: &Question, places: &[Place], level: Level) -> Figures {
    let taken_from = |place: &&Place| question.sources.iter().any(|source| source.is_at(place, Level::Span));
    let mut shown: Vec<&Place> = Vec::new();
    for place in places.iter().filter(|place| !taken_from(place)) {
        if level == Level::Span || shown.iter().all(|known| known.path != place.path) {
            shown.push(place);
        }
    }
    shown.truncate(COUNTED);
    let rank = |target: &Target| shown.iter().position(|place| target.is_at(place, level));
    let mut ranks: Vec<usize> = question.targets.iter().filter_map(rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    // From 0 on, because the sum of nothing is -0 and would be shown as that.
    let gained = ranks.iter().fold(0.0, |sum, rank| sum + gain(*rank));
    let ideal: f64 = (0..question.targets.len().min(COUNTED)).map(gain).sum();
    let first = ranks.first().copied();
    let within = |places: usize| f64::from(u8::from(first.is_some_and(|rank| rank < places)));
    Figures {
        ndcg: if ideal > 0.0 { gained / ideal } else { 0.0 },
        hit_1: within(1),
        hit_5: within(5),
        hit_10: within(COUNTED),
        mrr: first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0)),
    }
}

/// Figures over many answers.
#[derive(Debug, Clone, Default)]
pub struct Report {
    all: Vec<Figures>,
    by_group: BTreeMap<String, Vec<Figures>>,
    by_repo: BTreeMap<String, Vec<Figures>>,
    times: Vec<Duration>,
}

impl Report {
    /// Adds an answer.
    pub fn add(&mut self, question: &Question, figures: Figures, took: Duration) {
        self.all.push(figures);
        for group in &question.groups {
            self.by_group.entry(group.clone()).or_default().push(figures);
        }
        if let Some(repo) = &question.repo {
            self.by_repo.entry(repo.clone()).or_default().push(figures);
        }
        self.times.push(took);
    }

    /// How many answers there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The mean of all.
    pub fn all(&self) -> Figures {
        mean(&self.all)
    }

    /// The mean of each group, with its size.
    pub fn groups(&self) -> impl Iterator<Item = (&str, usize, Figures)> {
        self.by_group.iter().map(|(name, figures)| (name.as_str(), figures.len(), mean(figures)))
    }

    /// The mean over projects of the mean over their questions; none if questions name no project.
    pub fn over_repos(&self) -> Option<Figures> {
        let means: Vec<Figures> = self.by_repo.values().map(|figures| mean(figures)).collect();
        (!means.is_empty()).then(|| mean(&means))
    }

    /// The figure that sums it up: over projects where there are several, else over questions.
    pub fn headline(&self) -> Figures {
        self.over_repos().unwrap_or_else(|| self.all())
    }

    /// The mean time of an answer, and the time that 95 of 100 answers keep within.
    pub fn latency(&self) -> (Duration, Duration) {
        let mut times = self.times.clone();
        times.sort_unstable();
        let count = u32::try_from(times.len().max(1)).unwrap_or(u32::MAX);
        let late = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
        (times.iter().sum::<Duration>() / count, late)
    }
}

fn mean(figures: &[Figures]) -> Figures {
    let of = |get: fn(&Figures) -> f64| figures.iter().map(get).sum::<f64>() / figures.len().max(1) as f64;
    Figures {
        ndcg: of(|figures| figures.ndcg),
        hit_1: of(|figures| figures.hit_1),
        hit_5: of(|figures| figures.hit_5),
        hit_10: of(|figures| figures.hit_10),
        mrr: of(|figures| figures.mrr),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, start_line: u32, end_line: u32) -> Place {
        Place { path: path.to_owned(), start_line, end_line }
    }

    fn whole(path: &str) -> Target {
        Target { path: path.to_owned(), ..Target::default() }
    }

    fn lines(path: &str, first: u32, last: u32) -> Target {
        Target { start_line: Some(first), end_line: Some(last), ..whole(path) }
    }

    fn asked(targets: Vec<Target>) -> Question {
        Question { targets, ..Question::default() }
    }

    /// The figures beside each are those of the public definition, worked out by hand.
    #[test]
    fn figures_are_those_of_the_definition() {
        let places =
            [place("a.rs", 1, 9), place("src/b.rs", 1, 5), place("src/b.rs", 6, 20), place("c.rs", 1, 2)];
        let judged = |question: Question, level| judge(&question, &places, level);
        let second = judged(asked(vec![lines("b.rs", 3, 4)]), Level::Span);
        assert!(
            (second.ndcg - 0.6309).abs() < 1e-4 && second.mrr == 0.5 && second.hit_1 == 0.0,
            "{second:?}"
        );
        let any = Target { spans: vec![[18, 30]], ..whole("b.rs") };
        let third = judged(asked(vec![any]), Level::Span);
        assert!((third.ndcg - 0.5).abs() < 1e-9 && third.hit_5 == 1.0);
        let by_file = judged(asked(vec![whole("c.rs")]), Level::File);
        assert!((by_file.mrr - 1.0 / 3.0).abs() < 1e-9, "the two places in b.rs are one");
        let two = judged(asked(vec![whole("a.rs"), whole("c.rs")]), Level::Span);
        assert!((two.ndcg - (1.0 + 0.430_68) / 1.630_93).abs() < 1e-4);
        let shared = judged(asked(vec![lines("a.rs", 1, 2), lines("a.rs", 3, 4)]), Level::Span);
        assert!((shared.ndcg - 1.0 / 1.630_93).abs() < 1e-4, "one place answers both, once");
        let sources = vec![lines("a.rs", 9, 9)];
        let sourced = judged(Question { sources, ..asked(vec![whole("c.rs")]) }, Level::Span);
        assert!((sourced.mrr - 1.0 / 3.0).abs() < 1e-9, "where it was taken from does not count");
        let none = judged(asked(vec![whole("z.rs")]), Level::Span);
        assert!(none == Figures::default() && none.ndcg.is_sign_positive(), "it is shown as 0, not as -0");
    }

    #[test]
    fn projects_count_alike_however_many_questions_they_have() {
        let mut report = Report::default();
        let right = Figures { ndcg: 1.0, ..Figures::default() };
        for (repo, figures) in [("a", right), ("a", right), ("a", right), ("b", Figures::default())] {
            let groups = vec!["category=symbol".to_owned()];
            let question = Question { repo: Some(repo.to_owned()), groups, ..Question::default() };
            report.add(&question, figures, Duration::from_millis(2));
        }
        assert_eq!((report.all().ndcg, report.headline().ndcg), (0.75, 0.5));
        let groups: Vec<_> = report.groups().map(|(name, count, _)| (name.to_owned(), count)).collect();
        assert_eq!(groups, [("category=symbol".to_owned(), 4)]);
        assert_eq!(report.latency().0, Duration::from_millis(2));
    }
}
