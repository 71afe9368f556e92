// Stands before the system's functions and fails one call of those that write below a folder: an error of the disk, a full disk, a
// short write, or a failed flush; or all that open files there. Only tests load it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;
static int filled;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

// Whether `file` lies below the folder.
static int is_ours(int file) {
  char name[64], path[4096];
  const char *folder = getenv("FAULT_FOLDER");
  if (!folder) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t length = readlink(name, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int is_kind(const char *kind) {
  const char *wanted = getenv("FAULT_KIND");
  return wanted && strcmp(wanted, kind) == 0;
}

// Whether this call is the one, counting it.
static int is_the_one(void) {
  const char *at = getenv("FAULT_AT");
  pthread_mutex_lock(&guard);
  calls++;
  int one = at && calls == atol(at);
  pthread_mutex_unlock(&guard);
  return one;
}

// How many bytes a write may take: all, or some, or -1 with `errno` set.
static ssize_t allowed(int file, size_t count) {
  if (is_kind("sync") || !is_ours(file)) return count;
  int one = is_the_one();
  if (filled || (one && is_kind("full"))) {
    // A disk that is full stays so.
    filled = 1;
    errno = ENOSPC;
    return -1;
  }
  if (one && is_kind("error")) {
    errno = EIO;
    return -1;
  }
  return one && is_kind("short") && count > 1 ? (ssize_t)(count / 2) : (ssize_t)count;
}

#define SYSTEM(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *from, size_t count) {
  ssize_t now = allowed(file, count);
  return now < 0 ? -1 : SYSTEM(write)(file, from, now);
}

ssize_t pwrite(int file, const void *from, size_t count, off_t at) {
  ssize_t now = allowed(file, count);
  return now < 0 ? -1 : SYSTEM(pwrite)(file, from, now, at);
}

ssize_t pwrite64(int file, const void *from, size_t count, off64_t at) {
  ssize_t now = allowed(file, count);
  return now < 0 ? -1 : SYSTEM(pwrite64)(file, from, now, at);
}

static int failing_flush(int file) {
  if (!is_kind("sync") || !is_ours(file) || !is_the_one()) return 0;
  errno = EIO;
  return 1;
}

int fsync(int file) { return failing_flush(file) ? -1 : SYSTEM(fsync)(file); }

int fdatasync(int file) { return failing_flush(file) ? -1 : SYSTEM(fdatasync)(file); }

// A file below the folder cannot be opened: too many are open.
static int is_kept(const char *path) {
  const char *folder = getenv("FAULT_FOLDER");
  return is_kind("descriptors") && folder && strncmp(path, folder, strlen(folder)) == 0;
}

#define OPEN(name)                                     \
  int name(const char *path, int flags, ...) {         \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    mode_t mode = va_arg(rest, mode_t);                \
    va_end(rest);                                      \
    if (is_kept(path)) {                               \
      errno = EMFILE;                                  \
      return -1;                                       \
    }                                                  \
    return SYSTEM(name)(path, flags, mode);            \
  }

OPEN(open)
OPEN(open64)

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("FAULT_COUNT");
  FILE *out = path ? fopen(path, "w") : NULL;
  if (!out) return;
  fprintf(out, "%ld\n", calls);
  fclose(out);
}
