// Ways through the kernel, and to sockets of others.
#include "ways.h"
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif

#define CLONE_NEWTIME_ 0x80
static char room[4096], zeros[4096];
static struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK};

static long denied(void) {
  errno = EPERM;
  return -1;
}

static long child_in(unsigned long namespaces) {
  long pid = syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}

static long child_in3(unsigned long namespaces) {
  struct clone_args how = {.flags = namespaces, .exit_signal = SIGCHLD};
  long pid = syscall(SYS_clone3, &how, sizeof how);
  if (pid == 0) _exit(0);
  return pid;
}

static long enters(const char *path) {
  int fd = open(path, O_RDONLY);
  return fd < 0 ? -1 : setns(fd, 0);
}

static long by_handle(void) {
  struct { struct file_handle handle; char bytes[128]; } one = {.handle = {.handle_bytes = 128}};
  int mount;
  if (name_to_handle_at(AT_FDCWD, ".", &one.handle, &mount, 0) < 0) return -1;
  return open_by_handle_at(AT_FDCWD, &one.handle, O_RDONLY);
}

// To what they are now, so that nothing is wrong where it works.
static long sets_clock(int is_newer) {
  struct timeval now;
  struct timespec exactly;
  gettimeofday(&now, NULL);
  clock_gettime(CLOCK_REALTIME, &exactly);
  return is_newer ? syscall(SYS_clock_settime, CLOCK_REALTIME, &exactly) : syscall(SYS_settimeofday, &now, NULL);
}
static long names_machine(int is_domain) {
  if ((is_domain ? getdomainname(room, sizeof room) : gethostname(room, sizeof room)) < 0) return -1;
  return is_domain ? setdomainname(room, strlen(room)) : sethostname(room, strlen(room));
}

static long by_i386(long call, long first, long second) {
#ifdef __x86_64__
  long result = call;
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(first), "c"(second), "d"(0L) : "memory", "r8", "r9", "r10", "r11");
  if (result >= 0) return result;
  errno = (int)-result;
#else
  (void)call, (void)first, (void)second, errno = ENOSYS;
#endif
  return -1;
}
static long by_x32(long call, long first, long second) {
#ifdef __x86_64__
  return syscall(0x40000000 | call, first, second, 0);
#else
  (void)call, (void)first, (void)second, errno = ENOSYS;
  return -1;
#endif
}

// The limit by which the hub knows what a plugin started.
static long unlabels(long call) {
  struct rlimit none = {0, 0};
  return call == SYS_setrlimit ? syscall(call, RLIMIT_LOCKS, &none) : syscall(call, 0, RLIMIT_LOCKS, &none, NULL);
}

// Any process but its own two, from the hub's number on in both directions, as far as it comes.
static long anybody(long call) {
  time_t end = time(NULL) + 2;
  for (int step = 0; step < 40000 && time(NULL) < end; step++) {
    int number = at.hub + (step & 1 ? -1 : 1) * ((step + 1) / 2);
    if (number <= 0 || number == getpid() || number == getppid()) continue;
    if (call == SYS_kill && (kill(number, 0) == 0 || (number > 1 && kill(-number, 0) == 0 && number != getpgrp()))) return 0;
    if (call == SYS_tkill && syscall(call, number, 0) == 0) return 0;
    if (call == SYS_tgkill && syscall(call, number, number, 0) == 0) return 0;
    if (call == SYS_rt_sigqueueinfo) {
      siginfo_t info = {.si_signo = 0, .si_code = SI_QUEUE};
      if (syscall(call, number, 0, &info) == 0) return 0;
    }
    if (call == SYS_pidfd_send_signal) {
      long fd = syscall(SYS_pidfd_open, number, 0);
      if (fd >= 0 && syscall(call, fd, 0, 0, 0) == 0) return 0;
      if (fd >= 0) close((int)fd);
    }
  }
  return denied();
}

static long connects(const char *name, int is_abstract) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  strncpy(address.sun_path + is_abstract, name, sizeof address.sun_path - 2);
  return connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(name)));
}

static long reconnects_pair(void) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
}

#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define WAY(name, tries, holder, expression) static long NAMED(way_, __LINE__)(void) { return (long)(expression); }
#include "kernel.def"
#undef WAY
#define WAY(name, tries, holder, expression) {name, tries, holder, NAMED(way_, __LINE__)},
static const struct way list[] = {
#include "kernel.def"
};
const struct ways on_kernel = {"the kernel", list, sizeof list / sizeof *list};
