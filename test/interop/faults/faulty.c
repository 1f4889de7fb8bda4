/* A disk that fails on command, for LD_PRELOAD. Below the folder FAULT_UNDER, the calls that the file FAULT_FILE names fail, or are slow:
   each line of it is "CALL ERROR" or "CALL MILLISECONDS", where CALL is write, sync or rename (with link) and ERROR is EIO, ENOSPC or EROFS.
   Without the file all goes through. What a program asks of the kernel without the C library goes through as well: Bun writes its own
   files so, but not its databases, and it syncs and renames through the C library. */
#define _GNU_SOURCE
#include "order.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

static int is_below(const char *path) {
  const char *under = getenv("FAULT_UNDER");
  size_t length = under ? strlen(under) : 0;
  return length > 0 && strncmp(path, under, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int number_of(const char *error) {
  if (strcmp(error, "EIO") == 0) return EIO;
  if (strcmp(error, "ENOSPC") == 0) return ENOSPC;
  if (strcmp(error, "EROFS") == 0) return EROFS;
  return 0;
}

static int fault_of(const char *call) {
  char text[256], *rest = NULL;
  if (!read_order("FAULT_FILE", text, sizeof text)) return 0;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *what = strchr(line, ' ');
    if (!what) continue;
    *what++ = '\0';
    if (strcmp(line, call) != 0) continue;
    int error = number_of(what);
    if (error) return error;
    long pause = atol(what);
    struct timespec time = {pause / 1000, (pause % 1000) * 1000000};
    nanosleep(&time, NULL);
  }
  return 0;
}

/* 0, or -1 with errno set. */
static int fails_at(const char *call, const char *path) {
  int kept = errno, error = is_below(path) ? fault_of(call) : 0;
  errno = error ? error : kept;
  return error ? -1 : 0;
}

static int fails_on(const char *call, int fd) {
  int kept = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length <= 0) return 0;
  path[length] = '\0';
  return fails_at(call, path);
}

static int fails_in(const char *call, int folder, const char *path) {
  return folder == AT_FDCWD || path[0] == '/' ? fails_at(call, path) : fails_on(call, folder);
}

/* The real one, looked up once; several threads may do so at a time and find the same. */
#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  return fails_on("write", fd) ? -1 : real(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  return fails_on("write", fd) ? -1 : real(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  return fails_on("write", fd) ? -1 : real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  return fails_on("write", fd) ? -1 : real(fd, bytes, count, at);
}

int fsync(int fd) {
  REAL(int, fsync, int);
  return fails_on("sync", fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  return fails_on("sync", fd) ? -1 : real(fd);
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  return fails_at("rename", to) ? -1 : real(from, to);
}

int renameat(int old_folder, const char *from, int new_folder, const char *to) {
  REAL(int, renameat, int, const char *, int, const char *);
  return fails_in("rename", new_folder, to) ? -1 : real(old_folder, from, new_folder, to);
}

int renameat2(int old_folder, const char *from, int new_folder, const char *to, unsigned int flags) {
  REAL(int, renameat2, int, const char *, int, const char *, unsigned int);
  return fails_in("rename", new_folder, to) ? -1 : real(old_folder, from, new_folder, to, flags);
}

int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  return fails_at("rename", to) ? -1 : real(from, to);
}

int linkat(int old_folder, const char *from, int new_folder, const char *to, int flags) {
  REAL(int, linkat, int, const char *, int, const char *, int);
  return fails_in("rename", new_folder, to) ? -1 : real(old_folder, from, new_folder, to, flags);
}
