//! A checksum for every page of the database. SQLite trusts its file: a flipped bit in a row would be a wrong answer. Here each
//! page ends with a checksum of its bytes and its number, made when the page is written and compared whenever it is read, so a
//! page that is damaged, or stands in another one's place, is never looked at.
//!
//! SQLite reaches files through a table of functions. Ours is the system's own, but for reading and writing the database itself.
//! The write-ahead log has checksums of SQLite's, and is left alone.

#![expect(unsafe_code, reason = "SQLite's files are a table of C functions")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};
use rusqlite::{Connection, OpenFlags};

use crate::format::{APPLICATION, FIRST_CHECKED_FORMAT};

/// What we are called among SQLite's ways to files.
const NAME: &CStr = c"jari";

/// SQLite's usual size, and the only one we write.
const PAGE: usize = 4096;

/// Bytes at the end of each page that SQLite leaves to us.
const RESERVED: usize = 4;

/// Opens the database at `path`, or the one that a URI names; its pages are checked.
pub(crate) fn open(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register) {
        ffi::SQLITE_OK => Connection::open_with_flags_and_vfs(path, flags, NAME),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// Makes SQLite leave room for checksums in a database that has no page yet.
pub(crate) fn reserve(connection: &Connection) -> rusqlite::Result<()> {
    let mut bytes = RESERVED as c_int;
    // SAFETY: the connection is open, and this request takes a pointer to a number.
    let code = unsafe {
        let bytes = (&raw mut bytes).cast();
        ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_RESERVE_BYTES,
            bytes,
        )
    };
    match code {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// Whether a database that begins with `header` has checksums. Foreign ones and those of our old formats have none; to pass for
/// one of them by damage, a page must lose our mark, our version and the room for the checksum at once, and then it is not ours.
fn is_checked(header: &[u8]) -> bool {
    let number = |at: usize| {
        header.get(at..at + 4).map(|four| u32::from_be_bytes(four.try_into().expect("four bytes")))
    };
    let ours = number(68) == Some(APPLICATION as u32) && number(60) >= Some(FIRST_CHECKED_FORMAT);
    ours || header.get(20) == Some(&(RESERVED as u8))
}

/// The checksum of a page that begins at `offset` of the file.
fn checksum(page: &[u8], offset: sqlite3_int64) -> [u8; RESERVED] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(&page[..PAGE - RESERVED]);
    hasher.finalize().to_le_bytes()
}

fn is_page(length: c_int, offset: sqlite3_int64) -> bool {
    length == PAGE as c_int && offset % PAGE as sqlite3_int64 == 0
}

/// An open database. SQLite gives us the room for it, and behind it for the system's own.
#[repr(C, align(8))]
struct File {
    /// What SQLite knows of it.
    base: sqlite3_file,
    /// Whether its pages have checksums.
    checked: bool,
}

fn register() -> c_int {
    // SAFETY: the system's functions live as long as the program, and so does the copy, which is never freed. The functions that
    // we leave as they are do not ask which table they were found in.
    unsafe {
        let system = ffi::sqlite3_vfs_find(std::ptr::null());
        if system.is_null() {
            return ffi::SQLITE_ERROR;
        }
        let ours = Box::leak(Box::new(*system));
        ours.zName = NAME.as_ptr();
        ours.szOsFile += size_of::<File>() as c_int;
        ours.pNext = std::ptr::null_mut();
        ours.xOpen = Some(open_file);
        ffi::sqlite3_vfs_register(ours, 0)
    }
}

/// The system's file behind ours.
///
/// # Safety
/// `file` was opened by [`open_file`] as a database.
unsafe fn inner(file: *mut sqlite3_file) -> (*mut sqlite3_file, &'static sqlite3_io_methods) {
    // SAFETY: SQLite gave room for both, one behind the other, and the inner one was opened first.
    unsafe {
        let inner = file.cast::<u8>().add(size_of::<File>()).cast::<sqlite3_file>();
        (inner, &*(*inner).pMethods)
    }
}

/// Opens any file of a database; only the database itself is ours to check.
unsafe extern "C" fn open_file(
    _ours: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite calls with room of the size we asked for. The system's table is there, for we were made from it.
    unsafe {
        let system = ffi::sqlite3_vfs_find(std::ptr::null());
        let Some(open) = (*system).xOpen else { return ffi::SQLITE_CANTOPEN };
        if flags & ffi::SQLITE_OPEN_MAIN_DB == 0 {
            return open(system, name, file, flags, flags_out);
        }
        let ours = file.cast::<File>();
        (*ours).base.pMethods = std::ptr::null();
        (*ours).checked = false;
        let inner = file.cast::<u8>().add(size_of::<File>()).cast::<sqlite3_file>();
        (*inner).pMethods = std::ptr::null();
        let code = open(system, name, inner, flags, flags_out);
        if !(*inner).pMethods.is_null() {
            (*ours).base.pMethods = &raw const METHODS;
        }
        code
    }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    into: *mut c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as SQLite calls it, `into` has room for `length` bytes; all of them are set, by zeros where the file ends.
    unsafe {
        let (inner, methods) = inner(file);
        let Some(read) = methods.xRead else { return ffi::SQLITE_IOERR };
        let code = read(inner, into, length, offset);
        if code != ffi::SQLITE_OK && code != ffi::SQLITE_IOERR_SHORT_READ {
            return code;
        }
        let bytes = std::slice::from_raw_parts(into.cast::<u8>(), length as usize);
        let ours = &mut *file.cast::<File>();
        if offset == 0 {
            ours.checked = code == ffi::SQLITE_OK && is_checked(bytes);
        }
        // The header is looked at before pages are; what it says counts only once its page was read.
        let is_header = offset < 100 && length <= 100;
        let whole = || is_page(length, offset) && bytes[PAGE - RESERVED..] == checksum(bytes, offset);
        if ours.checked && !is_header && !whole() { ffi::SQLITE_CORRUPT } else { code }
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: as SQLite calls it, `from` holds `length` bytes.
    unsafe {
        let (inner, methods) = inner(file);
        let Some(write) = methods.xWrite else { return ffi::SQLITE_IOERR };
        let bytes = std::slice::from_raw_parts(from.cast::<u8>(), length as usize);
        let ours = &mut *file.cast::<File>();
        if offset == 0 {
            ours.checked = is_checked(bytes);
        }
        let mut page = [0; PAGE];
        if !(ours.checked && is_page(length, offset)) {
            return write(inner, from, length, offset);
        }
        page.copy_from_slice(bytes);
        let sum = checksum(&page, offset);
        page[PAGE - RESERVED..].copy_from_slice(&sum);
        write(inner, page.as_ptr().cast(), length, offset)
    }
}

/// Functions that hand their question on to the system's file.
macro_rules! handed_on {
    ($($name:ident => $method:ident($($argument:ident: $type:ty),*);)+) => {
        $(unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: the arguments are SQLite's own, meant for this very function of the system.
            unsafe {
                let (inner, methods) = inner(file);
                methods.$method.map_or(ffi::SQLITE_IOERR, |method| method(inner $(, $argument)*))
            }
        })+
    };
}

handed_on! {
    close => xClose();
    truncate => xTruncate(size: sqlite3_int64);
    sync => xSync(flags: c_int);
    file_size => xFileSize(size: *mut sqlite3_int64);
    lock => xLock(level: c_int);
    unlock => xUnlock(level: c_int);
    check_reserved_lock => xCheckReservedLock(out: *mut c_int);
    file_control => xFileControl(request: c_int, argument: *mut c_void);
    sector_size => xSectorSize();
    shared_map => xShmMap(region: c_int, size: c_int, extend: c_int, out: *mut *mut c_void);
    shared_lock => xShmLock(offset: c_int, count: c_int, flags: c_int);
    shared_unmap => xShmUnmap(delete: c_int);
}

/// What the system's file can do, but for reading parts of pages: those could not be checked.
unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: the system's own function on the system's own file.
    unsafe {
        let (inner, methods) = inner(file);
        let can = methods.xDeviceCharacteristics.map_or(0, |method| method(inner));
        can & !ffi::SQLITE_IOCAP_SUBPAGE_READ
    }
}

unsafe extern "C" fn shared_barrier(file: *mut sqlite3_file) {
    // SAFETY: the system's own function on the system's own file.
    unsafe {
        let (inner, methods) = inner(file);
        if let Some(barrier) = methods.xShmBarrier {
            barrier(inner);
        }
    }
}

/// Version 2 has no pages in mapped memory: they would be read past us.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shared_map),
    xShmLock: Some(shared_lock),
    xShmBarrier: Some(shared_barrier),
    xShmUnmap: Some(shared_unmap),
    xFetch: None,
    xUnfetch: None,
};
