/* A wall clock that is set while a program runs, for LD_PRELOAD: it is ahead of the machine's by the seconds in the file CLOCK_FILE.
   The monotonic clock stays as it is. libfaketime cannot do this for a program of several threads: while one thread reads the file,
   another now and then sees the machine's own time. */
#define _GNU_SOURCE
#include "order.h"
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

/* Nothing is shared between threads, and the C library is not asked for what could ask for the time. */
static long seconds_ahead(void) {
  char text[32];
  return read_order("CLOCK_FILE", text, sizeof text) ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += seconds_ahead();
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
