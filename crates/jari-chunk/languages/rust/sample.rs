//! A sample: what each kind of item becomes.

use std::collections::HashMap;

const LIMIT: usize = 3;

/// A pool of connections.
///
/// Hands out the oldest one first.
#[derive(Debug)]
pub struct Pool {
    free: Vec<Connection>,
    busy: HashMap<u32, Connection>,
}

impl Pool {
    /// Takes a connection out of the pool.
    pub fn take(&mut self) -> Option<Connection> {
        let connection = self.free.pop()?;
        self.busy.insert(connection.id, connection.clone());
        Some(connection)
    }

    fn len(&self) -> usize {
        self.free.len()
    }

    // Gives it back.
    fn give_back(&mut self, connection: Connection) {
        self.busy.remove(&connection.id);
        self.free.push(connection);
        assert!(self.free.len() <= LIMIT);
    }
}

fn tiny() {}

pub mod retry {
    /// Tries three times.
    pub fn with_backoff(send: impl Fn() -> bool) -> bool {
        for _ in 0..super::LIMIT {
            if send() {
                return true;
            }
        }
        false
    }
}
