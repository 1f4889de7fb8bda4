// A way out of a plugin's confinement: what it is called, what it tries, and the try itself, which is 0 or more where it got through.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// What has to hold it: anything that filters system calls; what also keeps a plugin from files and from the insides of other
// processes.
enum holder { BY_CALLS, BY_VIEW };

struct way {
  const char *name, *tries;
  enum holder holder;
  long (*attempt)(void);
};

struct ways {
  // Whom it is aimed at; empty where that is in the name.
  const char *against;
  const struct way *list;
  size_t count;
};

// Who and what it is aimed at; main.c reads them from the file `targets`.
struct targets {
  // The last holder there is: ways that nobody holds would do harm.
  int held;
  int hub, other;
  char home[400], outside[400], path[400], abstract[100];
};
extern struct targets at;

extern const struct ways on_hub, on_other, on_kernel, on_files;

// Below the home; the text is valid until the sixteenth call after this one.
const char *in_home(const char *path);
const char *in_proc(int pid, const char *path);
long reads(const char *path);
long writes(const char *path, const char *text);
