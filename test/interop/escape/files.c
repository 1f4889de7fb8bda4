// Ways to files. The working folder is the plugin's own.
#include "ways.h"
#include <dirent.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

static long lists(const char *path) {
  DIR *folder = opendir(path);
  return folder == NULL ? -1 : 0;
}

static const char *by_root(const char *path) {
  static char text[600];
  snprintf(text, sizeof text, "/proc/self/root%s", in_home(path));
  return text;
}

static long opens_from(int how) {
  int folder = open(at.home, how | O_DIRECTORY);
  return folder < 0 ? -1 : openat(folder, "config/hub.toml", O_RDONLY);
}
static long opens2(const char *path, uint64_t flags) {
  struct open_how how = {.flags = flags};
  return syscall(SYS_openat2, AT_FDCWD, in_home(path), &how, sizeof how);
}
static long reads_link(void) {
  if (symlink(in_home("config/hub.toml"), "link") < 0 && errno != EEXIST) return -1;
  return reads("link");
}
static long links_place(void) {
  char name[64];
  int fd = open(in_home("plugins/other/secret"), O_PATH);
  if (fd < 0) return -1;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  if (reads(name) >= 0) return 0;
  return linkat(AT_FDCWD, name, AT_FDCWD, "stolen3", AT_SYMLINK_FOLLOW);
}
static long writes_kit(void) {
  const char *kit = in_home("plugins/sdk/hub-sdk.js");
  return open(kit, O_WRONLY);
}

// Whether a program prints the configuration.
static long prints(int program) {
  int ends[2];
  char byte;
  if (pipe(ends) < 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    char *const words[] = {"cat", (char *)in_home("config/hub.toml"), NULL}, *const nothing[] = {NULL};
    dup2(ends[1], 1);
    fexecve(program, words, nothing);
    _exit(127);
  }
  close(ends[1]);
  long got = read(ends[0], &byte, 1);
  int end;
  waitpid(pid, &end, 0);
  // One that did not run has proved nothing.
  errno = WIFEXITED(end) && WEXITSTATUS(end) == 1 ? EACCES : ENOEXEC;
  return got == 1 ? 0 : -1;
}
static long runs(const char *path) { return prints(open(path, O_RDONLY)); }
static long runs_from_memory(void) {
  char bytes[65536];
  int from = open("/bin/cat", O_RDONLY), to = memfd_create("cat", 0);
  for (ssize_t got; (got = read(from, bytes, sizeof bytes)) > 0;)
    if (write(to, bytes, (size_t)got) != got) return -1;
  return prints(to);
}

#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define WAY(name, tries, holder, expression) static long NAMED(way_, __LINE__)(void) { return (long)(expression); }
#include "files.def"
#undef WAY
#define WAY(name, tries, holder, expression) {name, tries, holder, NAMED(way_, __LINE__)},
static const struct way list[] = {
#include "files.def"
};
const struct ways on_files = {"files", list, sizeof list / sizeof *list};
