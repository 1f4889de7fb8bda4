// Ways to act on the hub and on another plugin.
#include "ways.h"
#include <dirent.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define MADV_COLD_ 20
static char room[4096];
static struct iovec here = {room, 16}, there = {room, 16};
static cpu_set_t first = {{1}};
static struct sched_param lowest;
static struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t more[3]; } idle = {48, SCHED_IDLE, 0, 0, 0, {0}};
static unsigned long node = 1;
static void *pages[1];
static int status[1];
static struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK};

static long by_pidfd(long call, int pid, long second, long third, long fourth, long fifth) {
  long fd = syscall(SYS_pidfd_open, pid, 0);
  return fd < 0 ? fd : syscall(call, fd, second, third, fourth, fifth);
}

static long limit(int pid, int which, long value) {
  struct rlimit both = {(rlim_t)value, (rlim_t)value};
  return prlimit(pid, which, &both, NULL);
}

static siginfo_t *queued(int signal) {
  static siginfo_t info;
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  return &info;
}

// What the kernel sends when a file is ready is refused, if at all, without a word: whether it stopped shows.
static long has_stopped(int pid) {
  for (int look = 0; look < 20; look++) {
    char text[512] = "";
    int fd = open(in_proc(pid, "stat"), O_RDONLY);
    if (fd < 0 || read(fd, text, sizeof text - 1) < 0) return -1;
    close(fd);
    const char *state = strrchr(text, ')');
    if (state && state[2] == 'T') return 0;
    usleep(5000);
  }
  errno = EPERM;
  return -1;
}

static long become_ready(int fd, int other_end, int pid) {
  if (fcntl(fd, F_SETSIG, SIGSTOP) < 0 || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) < 0) return -1;
  if (write(other_end, "x", 1) != 1) return -1;
  return has_stopped(pid);
}

static long signals_from_pipe(int pid, int is_extended) {
  int ends[2];
  struct f_owner_ex owner = {F_OWNER_PID, pid};
  if (pipe(ends) < 0) return -1;
  if ((is_extended ? fcntl(ends[0], F_SETOWN_EX, &owner) : fcntl(ends[0], F_SETOWN, pid)) < 0) return -1;
  return become_ready(ends[0], ends[1], pid);
}

static long signals_from_socket(int pid, unsigned long request) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || ioctl(ends[0], request, &pid) < 0) return -1;
  return become_ready(ends[0], ends[1], pid);
}

static long opens(const char *path) { return open(path, O_RDONLY); }

// Their numbers anybody of its user may see; what they are is the secret.
static long lists(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return -1;
  errno = EACCES;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.' && readlinkat(dirfd(folder), entry->d_name, room, sizeof room) >= 0) return 0;
  return -1;
}

// Any page of it will do.
static long reads_at_first_map(int pid, const char *file) {
  int fd = open(in_proc(pid, file), O_RDONLY);
  return fd < 0 ? -1 : pread(fd, room, 1, 0x400000) == 1 || errno == EIO ? 0 : -1;
}
static long reads_memory(int pid) { return reads_at_first_map(pid, "mem"); }
static long reads_thread(int pid) {
  char file[64];
  snprintf(file, sizeof file, "task/%d/mem", pid);
  return reads_at_first_map(pid, file);
}

// The last one; itself where it has no other.
static int thread_of(int pid) {
  int last = pid;
  DIR *folder = opendir(in_proc(pid, "task"));
  if (folder == NULL) return pid;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (atoi(entry->d_name) > last) last = atoi(entry->d_name);
  closedir(folder);
  return last;
}

// Whether one of them could be sent it.
static long to_each_thread(int pid, long call) {
  DIR *folder = opendir(in_proc(pid, "task"));
  if (folder == NULL) return -1;
  errno = EPERM;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    long thread = atoi(entry->d_name);
    if (thread <= 0) continue;
    long sent = call == SYS_tgkill            ? syscall(call, thread, thread, SIGTERM)
                : call == SYS_rt_sigqueueinfo ? syscall(call, thread, SIGTERM, queued(SIGTERM))
                                              : syscall(call, thread, SIGTERM);
    if (sent == 0) return 0;
    // Its number, said not to be a process's: as good as a refusal.
    if (errno == ESRCH) errno = EPERM;
  }
  closedir(folder);
  return -1;
}

static long enters(const char *path) {
  int fd = open(path, O_RDONLY);
  return fd < 0 ? -1 : setns(fd, 0);
}

#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define COUNT(list) (sizeof list / sizeof *list)

#define WAY(name, tries, holder, expression) static long NAMED(hub_, __LINE__)(void) { return (long)(expression); }
#define WHO at.hub
#include "processes.def"
#undef WHO
#undef WAY
#define WAY(name, tries, holder, expression) static long NAMED(other_, __LINE__)(void) { return (long)(expression); }
#define WHO at.other
#include "processes.def"
#undef WHO
#undef WAY

#define WAY(name, tries, holder, expression) {name, tries, holder, NAMED(hub_, __LINE__)},
static const struct way hub_list[] = {
#include "processes.def"
};
#undef WAY
#define WAY(name, tries, holder, expression) {name, tries, holder, NAMED(other_, __LINE__)},
static const struct way other_list[] = {
#include "processes.def"
};

const struct ways on_hub = {"the hub", hub_list, COUNT(hub_list)};
const struct ways on_other = {"another plugin", other_list, COUNT(other_list)};
