/* What a library for LD_PRELOAD is told: the text of the file that the environment names. It is read anew each time, with system calls
   alone: what is asked here may be under way inside any function of the C library. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0 where there is none. */
static int read_order(const char *variable, char *text, size_t size) {
  const char *file = getenv(variable);
  if (!file) return 0;
  long fd = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  long length = syscall(SYS_read, fd, text, size - 1);
  syscall(SYS_close, fd);
  if (length <= 0) return 0;
  text[length] = '\0';
  return 1;
}
