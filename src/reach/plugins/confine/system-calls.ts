// The filter of system calls for a confined plugin (seccomp): nothing that acts on another process, no namespaces or mounts of its
// own, no interface that goes around other filters, and UNIX sockets only where its entry allows them. Everything else stays allowed:
// what a plugin may do to files is Landlock's matter, but for emptying them where Landlock cannot refuse it. Bundled into launcher.ts, so it imports nothing.

export interface FilterOptions {
  /** `process.arch`; numbers of system calls differ. */
  arch: string;
  /** The plugin's own process id: execve keeps it. */
  pid: number;
  /** The process id of the hub. */
  hub: number;
  /** Whether it may make sockets at all. */
  network: boolean;
  /** Whether it may connect to UNIX sockets, such as D-Bus. */
  unixSockets: boolean;
  signals: SignalRule;
  /** Whether files that it cannot write are kept from being emptied otherwise; else that is refused here. */
  isEmptyingHeld: boolean;
}

/**
 * `scoped`: Landlock keeps its signals inside the confinement (version 6). `asked`: a thread of the hub answers for each
 * (signals/guard.ts). `itself`: it may send them to itself alone. `not_the_hub`: where none of these can be, those to the hub are refused,
 * but for those by the number of one of its threads: which these will be, nobody knows when the plugin starts.
 */
export type SignalRule = "scoped" | "asked" | "itself" | "not_the_hub";

interface Architecture {
  /** AUDIT_ARCH_…. */
  audit: number;
  /** Where a system call's number is in the pairs below. */
  column: 0 | 1;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
};

/** On x64 and arm64, by the kernel's headers; `undefined` where the architecture lacks it. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined];

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Refused whatever the arguments. */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  perf_event_open: [298, 241],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  // Keys of the user, the kernel's insides, and files by handle.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  syslog: [103, 116],
  // The machine.
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  modify_ldt: [154, undefined],
  iopl: [172, undefined],
  ioperm: [173, undefined],
};

/** Said not to exist, so that programs do the same in another way that this filter sees. */
export const ABSENT: Readonly<Record<string, Numbers>> = {
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Its flags are in memory, which a filter cannot read: the C library falls back to clone.
  clone3: [435, 435],
};

/** The first argument is a process: itself alone. */
export const ON_A_PROCESS: Readonly<Record<string, Numbers>> = {
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
};

/** The first argument is a process or a thread, a group (negative) or all (-1). */
export const SIGNALS: Readonly<Record<string, Numbers>> = {
  kill: [62, 129],
  tkill: [200, 130],
  tgkill: [234, 131],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
};

/** Looked at by more than one argument. */
export const EXAMINED = {
  prlimit64: [302, 261],
  setrlimit: [160, 164],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  clone: [56, 220],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  fcntl: [72, 25],
  truncate: [76, 45],
  open: [2, undefined],
  openat: [257, 56],
  openat2: [437, 437],
  pidfd_send_signal: [424, 424],
  pidfd_open: [434, 434],
} as const satisfies Readonly<Record<string, Numbers>>;

/** CLONE_NEWNS, …CGROUP, …UTS, …IPC, …USER, …PID, …NET. */
const NAMESPACES = 0x7e02_0000;
const PRIO_PROCESS = 0;
/** The limit that is a plugin's label (label.ts). */
const RLIMIT_LOCKS = 10;
const IOPRIO_WHO_PROCESS = 1;
const AF_UNIX = 1;
/** IPv4, IPv6, netlink (names of interfaces), raw packets (which ask for a capability), CAN, Bluetooth. */
const FAMILIES = [2, 10, 16, 17, 29, 31];
// Unlike datagrams, these cannot be connected anew to somebody else's socket.
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCK_TYPE_MASK = 0xf;
/** Types into somebody's terminal: TIOCSTI, TIOCLINUX. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];
/** Whom a file that is ready sends a signal, of one's choice: FIOSETOWN, SIOCSPGRP; F_SETOWN, F_SETOWN_EX. */
const OWNER_REQUESTS = [0x8901, 0x8902];
const OWNER_COMMANDS = [8, 15];
/** O_ACCMODE and O_TRUNC, on x64 and arm64. Opened to be read, or for neither (3), a file is emptied all the same. */
const OPEN_MASK = 0o1003;
const EMPTIES_UNWRITTEN = [0o1000, 0o1003];

// struct seccomp_data. Arguments have 64 bits; those that are looked at here are the kernel's int, their lower half.
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): number => 16 + 8 * index;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const ASK: Instruction = [RETURN, 0, 0, 0x7fc0_0000];
const refuse = (errno: number): Instruction => [RETURN, 0, 0, 0x0005_0000 | errno];
const allow: Instruction = [RETURN, 0, 0, ALLOW];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
/** Numbers from here on are x32's: the same calls by other numbers. */
const X32 = 0x4000_0000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Goes on behind the next instruction unless what was loaded is the value. */
const ifEqual = (value: number): Instruction => [JUMP_EQUAL, 0, 1, value >>> 0];

/** `then` where what was loaded is one of the values; goes on otherwise. */
const ifOneOf = (values: readonly number[], then: Instruction): Instruction[] =>
  values.flatMap((value) => [ifEqual(value), then]);

/** Undefined where this architecture's calls are not known. Its bytes are the kernel's struct sock_filter, eight each. */
export function systemCallFilter(options: FilterOptions): Uint8Array | undefined {
  const architecture = ARCHITECTURES[options.arch];
  if (!architecture) return undefined;
  const { audit, column } = architecture;
  const each = (calls: Readonly<Record<string, Numbers>>, block: readonly Instruction[]): Instruction[] =>
    Object.values(calls).flatMap((numbers) => on(numbers[column], block));
  return bytesOf([
    load(ARCH),
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    load(NUMBER),
    ...(column === 0 ? ([[JUMP_GREATER_OR_EQUAL, 0, 1, X32], refuse(ENOSYS)] satisfies Instruction[]) : []),
    ...each(REFUSED, [refuse(EPERM)]),
    ...each(ABSENT, [refuse(ENOSYS)]),
    ...each(ON_A_PROCESS, [load(argument(0)), ...ifOneOf([0, options.pid], allow), refuse(EPERM)]),
    ...examined(options, column),
    ...(options.signals === "scoped" ? [] : each(SIGNALS, unscopedSignal(options))),
    ...(options.isEmptyingHeld ? [] : emptying(column)),
    allow,
  ]);
}

function examined(options: FilterOptions, column: 0 | 1): Instruction[] {
  const { pid, network, unixSockets, hub } = options;
  const areSignalsScoped = options.signals === "scoped";
  const itself = (which: number): Instruction[] => [
    load(argument(0)),
    ...unless([which], refuse(EPERM)),
    load(argument(1)),
    ...ifOneOf([0, pid], allow),
    refuse(EPERM),
  ];
  const { setpriority, ioprio_set, clone, socket, socketpair, ioctl, fcntl, pidfd_send_signal, pidfd_open } = EXAMINED;
  const { prlimit64, setrlimit } = EXAMINED;
  const requests = [...TERMINAL_REQUESTS, ...(areSignalsScoped ? [] : OWNER_REQUESTS)];
  return [
    ...on(prlimit64[column], [
      ...[load(argument(0)), ...unless([0, pid], refuse(EPERM))],
      ...[load(argument(1)), ...unless([RLIMIT_LOCKS], allow)],
      // It may ask for it: there is no new value, whose address has two halves.
      ...[argument(2), argument(2) + 4].flatMap((half) => [load(half), ...unless([0], refuse(EPERM))]),
      allow,
    ]),
    ...on(setrlimit[column], [load(argument(0)), ...ifOneOf([RLIMIT_LOCKS], refuse(EPERM)), allow]),
    ...on(setpriority[column], itself(PRIO_PROCESS)),
    ...on(ioprio_set[column], itself(IOPRIO_WHO_PROCESS)),
    ...on(clone[column], [load(argument(0)), [AND, 0, 0, NAMESPACES], ifEqual(0), allow, refuse(EPERM)]),
    ...on(socket[column], [
      load(argument(0)),
      ...ifOneOf(network ? [...FAMILIES, ...(unixSockets ? [AF_UNIX] : [])] : [], allow),
      ...ifOneOf([AF_UNIX], refuse(EACCES)),
      refuse(EAFNOSUPPORT),
    ]),
    ...on(socketpair[column], [
      load(argument(1)),
      [AND, 0, 0, SOCK_TYPE_MASK],
      ...ifOneOf([SOCK_STREAM, SOCK_SEQPACKET], allow),
      unixSockets ? allow : refuse(EACCES),
    ]),
    ...on(ioctl[column], [load(argument(1)), ...ifOneOf(requests, refuse(EPERM)), allow]),
    // Whom it means is behind a file descriptor.
    ...(areSignalsScoped ? [] : on(pidfd_send_signal[column], [refuse(ENOSYS)])),
    ...(areSignalsScoped ? [] : on(pidfd_open[column], [load(argument(0)), ...ifOneOf([hub], refuse(EPERM)), allow])),
    ...(areSignalsScoped
      ? []
      : on(fcntl[column], [load(argument(1)), ...ifOneOf(OWNER_COMMANDS, refuse(EPERM)), allow])),
  ];
}

function unscopedSignal({ signals, hub, pid }: FilterOptions): Instruction[] {
  const whom = load(argument(0));
  if (signals === "itself") return [whom, ...ifOneOf([pid], allow), refuse(EPERM)];
  // Its own group (0) is nobody else's, as it began a session. All (-1) are others, too.
  if (signals === "asked") return [whom, ...ifOneOf([0], allow), ...ifOneOf([-1], refuse(EPERM)), ASK];
  return [whom, ...ifOneOf([hub, -hub, -1], refuse(EPERM)), allow];
}

// For Landlock before version 3, which asks for a right where a file is opened to be written, and only there. A plugin empties its own
// files as others do: opened to be written, or by their descriptor.
function emptying(column: 0 | 1): Instruction[] {
  const { truncate, open, openat, openat2 } = EXAMINED;
  const opens = (flags: number): Instruction[] => [
    load(argument(flags)),
    [AND, 0, 0, OPEN_MASK],
    ...ifOneOf(EMPTIES_UNWRITTEN, refuse(EACCES)),
    allow,
  ];
  return [
    ...on(truncate[column], [refuse(EACCES)]),
    ...on(open[column], opens(1)),
    ...on(openat[column], opens(2)),
    // Its flags are in memory: who uses it goes on with openat, as the kernel may lack it.
    ...on(openat2[column], [refuse(ENOSYS)]),
  ];
}

function unless(values: readonly number[], then: Instruction): Instruction[] {
  return [...values.map((value, index): Instruction => [JUMP_EQUAL, values.length - index, 0, value >>> 0]), then];
}

/** The block for the call of this number; it ends in a return, whatever comes out. */
function on(number: number | undefined, block: readonly Instruction[]): Instruction[] {
  return number === undefined ? [] : [[JUMP_EQUAL, 0, block.length, number], ...block];
}

function bytesOf(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(view.buffer);
}
