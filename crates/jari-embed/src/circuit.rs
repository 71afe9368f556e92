//! Who failed several times in a row is left alone for a while.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::{Remedy, Trouble};

/// Failures in a row after which nobody is asked.
const FAILURES: u32 = 3;

/// The pause doubles with every failed probe, this often.
const DOUBLINGS: u32 = 5;

/// Lets questions through, or not.
pub struct Circuit {
    /// The first pause.
    cooling: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    /// How often it was opened since something last went well.
    openings: u32,
    /// Nobody is asked before.
    until: Option<Instant>,
    /// Whether somebody tries whether things go well again.
    probing: bool,
    last: Option<Trouble>,
}

impl Circuit {
    /// One whose first pause is `cooling`.
    pub fn new(cooling: Duration) -> Self {
        Self { cooling, state: Mutex::default() }
    }

    /// Whether a question would be let through now.
    pub fn is_closed(&self) -> bool {
        let state = self.state();
        !state.probing && state.until.is_none_or(|until| until <= Instant::now())
    }

    /// How often in a row a pause did not help.
    pub fn openings(&self) -> u32 {
        self.state().openings
    }

    /// Lets a question through, or says how long to wait and why. After the pause one question is let through to see.
    pub fn admit(&self) -> Result<Admitted<'_>, (Duration, Trouble)> {
        let mut state = self.state();
        let Some(until) = state.until else { return Ok(Admitted(self)) };
        let rest = until.saturating_duration_since(Instant::now());
        if rest.is_zero() && !state.probing {
            state.probing = true;
            return Ok(Admitted(self));
        }
        let last = state.last.clone().unwrap_or_else(|| Trouble::passing("it failed several times"));
        let remedy = if last.remedy == Remedy::Change { Remedy::Change } else { Remedy::Wait };
        // While somebody else tries, a moment.
        Err((rest.max(self.cooling / 10), Trouble { remedy, ..last }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}

/// A question that was let through. Where nobody says what came of it, the next one may try.
pub struct Admitted<'a>(&'a Circuit);

impl std::fmt::Debug for Admitted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("let through")
    }
}

impl Admitted<'_> {
    /// It was answered.
    pub fn succeeded(self) {
        *self.0.state() = State::default();
    }

    /// It was not answered.
    pub fn failed(self, trouble: &Trouble) {
        let mut state = self.0.state();
        state.failures += 1;
        state.last = Some(trouble.clone());
        if state.failures >= FAILURES || state.probing || trouble.remedy == Remedy::Change {
            let pause = self.0.cooling * 2_u32.pow(state.openings.min(DOUBLINGS));
            state.until = Some(Instant::now() + pause);
            state.openings += 1;
        }
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        self.0.state().probing = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(circuit: &Circuit, trouble: &Trouble) {
        circuit.admit().expect("it is closed").failed(trouble);
    }

    #[test]
    fn three_failures_in_a_row_open_it_and_one_probe_closes_it() {
        let circuit = Circuit::new(Duration::from_millis(20));
        let trouble = Trouble::passing("no");
        (0..3).for_each(|_| fail(&circuit, &trouble));
        let (_, why) = circuit.admit().expect_err("it is open");
        assert_eq!((why.remedy, circuit.is_closed()), (Remedy::Wait, false));
        std::thread::sleep(Duration::from_millis(25));
        assert!(circuit.is_closed());
        let probe = circuit.admit().expect("a probe");
        assert!(circuit.admit().is_err() && !circuit.is_closed(), "one probe at a time");
        probe.succeeded();
        assert!(circuit.admit().is_ok());
    }

    #[test]
    fn a_probe_that_nobody_finishes_lets_the_next_one_try() {
        let circuit = Circuit::new(Duration::from_millis(5));
        (0..3).for_each(|_| fail(&circuit, &Trouble::passing("no")));
        std::thread::sleep(Duration::from_millis(10));
        drop(circuit.admit().expect("a probe"));
        circuit.admit().expect("another").succeeded();
        assert!(circuit.is_closed());
    }

    #[test]
    fn a_success_between_failures_starts_the_count_again() {
        let circuit = Circuit::new(Duration::from_secs(60));
        for _ in 0..5 {
            (0..2).for_each(|_| fail(&circuit, &Trouble::passing("no")));
            circuit.admit().expect("it is closed").succeeded();
        }
        assert!(circuit.admit().is_ok());
    }

    #[test]
    fn what_only_the_user_can_mend_opens_it_at_once() {
        let circuit = Circuit::new(Duration::from_secs(60));
        fail(&circuit, &Trouble::lasting("the key was refused", "check it"));
        let (_, why) = circuit.admit().expect_err("it is open");
        assert_eq!((why.remedy, &*why.message), (Remedy::Change, "the key was refused"));
    }
}
