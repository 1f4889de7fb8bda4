// A plugin that tries to get out. It waits for the file `targets` in its folder, tries each way in a child of its own, and writes into
// `results` for each its name, what it tries, and `refused`, `open` or `odd`, with why. It knows nothing of the hub's.
#include "ways.h"
#include <sys/wait.h>

struct targets at;

const char *in_home(const char *path) {
  static char texts[16][500];
  static int next;
  char *text = texts[next++ % 16];
  snprintf(text, sizeof texts[0], "%s/%s", at.home, path);
  return text;
}
const char *in_proc(int pid, const char *path) {
  static char text[200];
  snprintf(text, sizeof text, "/proc/%d/%s", pid, path);
  return text;
}
long reads(const char *path) {
  char byte;
  int fd = open(path, O_RDONLY);
  return fd < 0 ? -1 : read(fd, &byte, 1);
}
long writes(const char *path, const char *text) {
  int fd = open(path, O_WRONLY);
  return fd < 0 ? -1 : write(fd, text, strlen(text));
}

// Anything else says that the try was wrong, not that it was refused.
static int is_refusal(int problem) {
  static const int refusals[] = {EPERM, EACCES, ENOENT, EROFS, ENOSYS, EXDEV, EBUSY, ETXTBSY, EAFNOSUPPORT, ENXIO, ENODEV};
  for (size_t n = 0; n < sizeof refusals / sizeof *refusals; n++)
    if (refusals[n] == problem) return 1;
  return 0;
}

static const char *try_one(const struct way *way, char *why, size_t room) {
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    errno = 0;
    _exit(way->attempt() >= 0 ? 0 : errno);
  }
  int end;
  if (child < 0 || waitpid(child, &end, 0) != child) return "odd";
  if (WIFSIGNALED(end)) {
    snprintf(why, room, "signal %d", WTERMSIG(end));
    return WTERMSIG(end) == SIGSYS ? "refused" : "odd";
  }
  int problem = WEXITSTATUS(end);
  snprintf(why, room, "%s", problem == 0 ? "it worked" : strerror(problem));
  return problem == 0 ? "open" : is_refusal(problem) ? "refused" : "odd";
}

static int read_targets(void) {
  FILE *file = fopen("targets", "r");
  if (file == NULL) return 0;
  int found = fscanf(file, "%d %d %d %399s %399s %99s %399s", &at.held, &at.hub, &at.other, at.home, at.path, at.abstract, at.outside);
  fclose(file);
  return found == 7;
}

// The number of a process of its own is given to somebody else's when that one has ended. Three go on sending to it all the while.
static void hand_on(void) {
  pid_t number = fork();
  if (number == 0)
    for (;;) pause();
  for (int sender = 0; sender < 3; sender++) {
    if (fork() != 0) continue;
    siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
    alarm(120);
    while (access("stop", F_OK) < 0) {
      kill(number, SIGTERM);
      syscall(SYS_tkill, number, SIGTERM);
      syscall(SYS_tgkill, number, number, SIGTERM);
      syscall(SYS_rt_sigqueueinfo, number, SIGTERM, &info);
      kill(-number, SIGTERM);
    }
    _exit(0);
  }
  waitpid(number, NULL, 0);
  FILE *file = fopen("number.new", "w");
  fprintf(file, "%d\n", number);
  fclose(file);
  rename("number.new", "number");
}

int main(void) {
  const struct ways *all[] = {&on_kernel, &on_files, &on_other, &on_hub};
  while (!read_targets()) usleep(20000);
  mkdir("tmp", 0700);
  fclose(fopen("results.own", "w"));
  FILE *results = fopen("results.new", "w");
  for (size_t group = 0; group < sizeof all / sizeof *all; group++)
    for (size_t n = 0; n < all[group]->count; n++) {
      const struct way *way = &all[group]->list[n];
      if ((int)way->holder > at.held) continue;
      char why[100] = "";
      const char *how = try_one(way, why, sizeof why);
      fprintf(results, "%s: %s\t%s\t%s\t%s\n", all[group]->against, way->name, way->tries, how, why);
      fflush(results);
    }
  fclose(results);
  rename("results.new", "results");
  hand_on();
  for (;;) pause();
}
