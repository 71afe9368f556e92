//! What models answered, by the hash of what they were asked: shared by all projects of a user. Of a text nothing is kept but its
//! hash.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// A use is noted when the last note is older than this, in seconds: reading should not always write.
const NOTED: i64 = 24 * 3600;

/// The part that goes when there is too much, so that not every answer after it has to push out another.
const PUSHED_OUT: u64 = 10;

/// The hash of a question.
pub type Key = [u8; 32];

/// Answers on disk.
pub struct Cache {
    path: PathBuf,
    /// Bytes that it may take.
    most: u64,
    connection: Mutex<Connection>,
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "answers in {}", self.path.display())
    }
}

/// Answers of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Whose they are: a provider and a model.
    pub model: String,
    /// How many.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Cache {
    /// The cache in the file at `path`, which is made where there is none. A damaged one is replaced.
    pub fn open(path: &Path, most: u64) -> Result<Self, String> {
        let opened = match connect(path) {
            Err(error) if is_damage(&error) => {
                for end in ["", "-wal", "-shm"] {
                    // What cannot be deleted fails again right below.
                    let _ = std::fs::remove_file(format!("{}{end}", path.display()));
                }
                connect(path)
            }
            other => other,
        };
        let connection = opened.map_err(|error| format!("`{}` cannot be used: {error}", path.display()))?;
        Ok(Self { path: path.to_owned(), most, connection: Mutex::new(connection) })
    }

    /// The key of a question to a model; its parts are kept apart.
    pub fn key(parts: &[&str]) -> Key {
        use sha2::Digest;
        let mut hash = sha2::Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// The answers to these questions, where they are known. What cannot be read is not known.
    pub fn get(&self, keys: &[Key]) -> Vec<Option<Vec<u8>>> {
        let found = self.try_get(keys);
        found.unwrap_or_else(|_| vec![None; keys.len()])
    }

    /// Keeps answers of `model`, and pushes out what was not asked for the longest, where there is too much.
    pub fn put(&self, model: &str, answers: &[(Key, Vec<u8>)]) -> Result<(), String> {
        self.try_put(model, answers).map_err(|error| self.said(&error))
    }

    /// What is remembered of a model beside its answers.
    pub fn fact(&self, model: &str) -> Option<u64> {
        let connection = self.connection();
        let read = connection
            .query_row("SELECT fact FROM models WHERE name = ?1", [model], |row| row.get::<_, Option<i64>>(0))
            .optional();
        read.ok()??.and_then(|fact| u64::try_from(fact).ok())
    }

    /// Remembers something of a model.
    pub fn remember(&self, model: &str, fact: u64) {
        let written = self.connection().execute(
            "INSERT INTO models (name, fact) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET fact = ?2",
            params![model, fact.cast_signed()],
        );
        // It can be asked for again.
        drop(written);
    }

    /// What is kept, by model.
    pub fn kept(&self) -> Result<Vec<Kept>, String> {
        let connection = self.connection();
        let rows = connection
            .prepare(
                "SELECT name, count(*), sum(length(key) + length(answer)) FROM answers JOIN models ON models.id = model
                 GROUP BY name ORDER BY name",
            )
            .and_then(|mut statement| {
                let row = |row: &rusqlite::Row<'_>| {
                    let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
                    Ok(Kept { model: row.get(0)?, entries: number(1)?, bytes: number(2)? })
                };
                statement.query_map([], row)?.collect()
            });
        rows.map_err(|error| self.said(&error))
    }

    /// The file it is kept in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes on disk that hold something.
    pub fn bytes(&self) -> u64 {
        used_bytes(&self.connection()).unwrap_or_default()
    }

    /// How many it may take.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Forgets everything; says how many answers.
    pub fn clear(&self) -> Result<u64, String> {
        let gone = self.forget("DELETE FROM answers WHERE ?1 = ?1", 0)?;
        self.connection().execute("DELETE FROM models", []).map_err(|error| self.said(&error))?;
        Ok(gone)
    }

    /// Forgets what was not asked for in this many days; says how many answers.
    pub fn forget_older(&self, days: u32) -> Result<u64, String> {
        self.forget("DELETE FROM answers WHERE used < ?1", now() - i64::from(days) * 24 * 3600)
    }

    /// Makes it smaller than this many bytes, by what was not asked for the longest; says how many answers went.
    pub fn shrink(&self, most: u64) -> Result<u64, String> {
        let connection = self.connection();
        let shrunk = push_out(&connection, most).and_then(|gone| {
            connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?;
            Ok(gone)
        });
        shrunk.map_err(|error| self.said(&error))
    }

    fn forget(&self, statement: &str, parameter: i64) -> Result<u64, String> {
        let connection = self.connection();
        let gone = connection.execute(statement, [parameter]).and_then(|gone| {
            connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?;
            Ok(gone as u64)
        });
        gone.map_err(|error| self.said(&error))
    }

    fn try_get(&self, keys: &[Key]) -> rusqlite::Result<Vec<Option<Vec<u8>>>> {
        let connection = self.connection();
        let mut read = connection.prepare_cached("SELECT answer, used FROM answers WHERE key = ?1")?;
        let (now, mut stale) = (now(), Vec::new());
        let mut answers = Vec::with_capacity(keys.len());
        for key in keys {
            let row = read.query_row([key.as_slice()], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)));
            answers.push(row.optional()?.map(|(answer, used)| {
                if used < now - NOTED {
                    stale.push(key);
                }
                answer
            }));
        }
        if !stale.is_empty() {
            let transaction = connection.unchecked_transaction()?;
            for key in stale {
                transaction
                    .prepare_cached("UPDATE answers SET used = ?2 WHERE key = ?1")?
                    .execute(params![key.as_slice(), now])?;
            }
            transaction.commit()?;
        }
        Ok(answers)
    }

    fn try_put(&self, model: &str, answers: &[(Key, Vec<u8>)]) -> rusqlite::Result<()> {
        let connection = self.connection();
        let transaction = connection.unchecked_transaction()?;
        transaction.execute("INSERT OR IGNORE INTO models (name) VALUES (?1)", [model])?;
        let model: i64 =
            transaction.query_row("SELECT id FROM models WHERE name = ?1", [model], |row| row.get(0))?;
        let now = now();
        for (key, answer) in answers {
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO answers (key, model, used, answer) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![key.as_slice(), model, now, answer])?;
        }
        transaction.commit()?;
        if used_bytes(&connection)? > self.most {
            push_out(&connection, self.most - self.most / PUSHED_OUT)?;
        }
        Ok(())
    }

    fn said(&self, error: &rusqlite::Error) -> String {
        format!("`{}`: {error}", self.path.display())
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().expect("no holder panics")
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    if let Some(folder) = path.parent() {
        // If it cannot be made, opening the file says so.
        let _ = std::fs::create_dir_all(folder);
    }
    let connection = Connection::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Vectors tell something of their texts. Where it cannot be, the folder is the user's own all the same.
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    }
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = NORMAL;
         CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fact INTEGER);
         CREATE TABLE IF NOT EXISTS answers (
             key BLOB PRIMARY KEY, model INTEGER NOT NULL, used INTEGER NOT NULL, answer BLOB NOT NULL
         );
         CREATE INDEX IF NOT EXISTS by_use ON answers (used);",
    )?;
    Ok(connection)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

/// Bytes of pages that hold something.
fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok((pages * number("page_size")?).cast_unsigned())
}

/// Deletes the answers that were not asked for the longest until the rest takes less than `most`.
fn push_out(connection: &Connection, most: u64) -> rusqlite::Result<u64> {
    let mut gone = 0;
    loop {
        let used = used_bytes(connection)?;
        let entries: i64 = connection.query_row("SELECT count(*) FROM answers", [], |row| row.get(0))?;
        if used <= most || entries == 0 {
            return Ok(gone);
        }
        let share = (used - most) as f64 / used as f64;
        let some = ((entries as f64 * share) as i64).max(1);
        gone += connection.execute(
            "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY used, key LIMIT ?1)",
            [some],
        )? as u64;
    }
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(folder: &tempfile::TempDir, most: u64) -> Cache {
        Cache::open(&folder.path().join("deep/answers.db"), most).expect("a new file")
    }

    #[test]
    fn an_answer_is_found_again_by_its_question_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (Cache::key(&["openai", "small", "text"]), Cache::key(&["openai", "smallt", "ext"]));
        assert_ne!(one, two, "parts do not run together");
        cache(&folder, 1 << 20).put("openai small", &[(one, vec![1, 2])]).expect("it is written");
        let again = cache(&folder, 1 << 20);
        assert_eq!(again.get(&[two, one]), [None, Some(vec![1, 2])]);
        assert_eq!(
            again.kept().expect("it is read"),
            [Kept { model: "openai small".to_owned(), entries: 1, bytes: 34 }]
        );
        again.remember("openai small", 7);
        assert_eq!((again.clear(), again.get(&[one]), again.fact("openai small")), (Ok(1), vec![None], None));
    }

    #[test]
    fn the_file_does_not_grow_beyond_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = cache(&folder, 200_000);
        for number in 0..400 {
            let key = Cache::key(&[&number.to_string()]);
            cache.put("m", &[(key, vec![7; 2_000])]).expect("it is written");
        }
        assert!(cache.bytes() <= 210_000, "{}", cache.bytes());
        assert!(cache.kept().expect("it is read")[0].entries > 20);
        assert!(cache.shrink(50_000).expect("it is written") > 0);
        assert!(cache.bytes() <= 50_000, "{}", cache.bytes());
    }

    #[test]
    fn a_damaged_file_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers.db");
        std::fs::write(&path, "no database, but long enough to be taken for one ".repeat(100))
            .expect("written");
        let cache = Cache::open(&path, 1 << 20).expect("it is made anew");
        assert!(cache.put("m", &[(Cache::key(&["a"]), vec![1])]).is_ok());
    }

    #[test]
    fn facts_of_models_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        cache(&folder, 1 << 20).remember("ollama x", 768);
        assert_eq!(
            (cache(&folder, 1 << 20).fact("ollama x"), cache(&folder, 1).fact("other")),
            (Some(768), None)
        );
    }
}
