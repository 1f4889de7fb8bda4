// Starts a confined plugin: the hub's binary runs this script as plain Bun; it restricts itself, then replaces itself by the plugin
// (execve). It is passed as text with `-e`, without other code of the hub, and runs in the folder `/`, so that no file of the plugin can
// change what happens before the restriction. Its order is on stdin.
import { closeSync, mkdirSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { enterFileView, type FileView } from "./file-view.ts";
import { openLibc } from "./libc.ts";
import { type SignalRule, systemCallFilter } from "./system-calls.ts";

/** JSON on stdin. The rights are the kernel's numbers, decided in grants.ts. */
export interface LaunchOrder {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** Where the kernel has Landlock. */
  landlock: Restriction | undefined;
  /** Where it has none, but namespaces, in which this runs. */
  view: FileView | undefined;
  /** The plugin's own temporary folder, which is created or emptied. */
  temporary: string | undefined;
  /** Capabilities that it can never have. */
  drop: number[];
  /** The process id of the hub. */
  hub: number;
  /** Whether the kernel filters system calls. */
  filtersCalls: boolean;
  signals: SignalRule;
  /** What its processes are labelled with; see label.ts. */
  label: number | undefined;
  /** Whether it may make sockets at all. */
  network: boolean;
  /** Whether it may connect to UNIX sockets. */
  unixSockets: boolean;
}

interface Restriction {
  /** Rights that are denied unless a rule grants them. */
  handled: number;
  scoped: number;
  /** Whether these rights have one for emptying files. */
  isEmptyingHeld: boolean;
  rules: [path: string, rights: number][];
}

// The same on x64 and arm64.
const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const CLOSE_RANGE = 436;
const CLOSE_RANGE_CLOEXEC = 4n;
const RULE_PATH_BENEATH = 1n;
const PR_CAPBSET_DROP = 24;
const CAPSET: Readonly<Record<string, number>> = { x64: 126, arm64: 91 };
const CAPABILITY_VERSION_3 = 0x2008_0522;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4n;
const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2n;
const SECCOMP: Readonly<Record<string, number>> = { x64: 317, arm64: 277 };
const SECCOMP_SET_MODE_FILTER = 1n;
const NEW_LISTENER = 8n;
/** Once the question is read, signals do not disturb who waits for the answer; since Linux 5.19. */
const WAIT_KILLABLE = 32n;
const EINVAL = 22;
/** The socket to the hub. */
const SIGNAL_LINE = 3;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
// The same on x64 and arm64. It limits nothing since Linux 2.6, is inherited, and can only be lowered.
const PRLIMIT: Readonly<Record<string, number>> = { x64: 302, arm64: 261 };
const RLIMIT_LOCKS = 10n;
const PR_SET_NO_NEW_PRIVS = 38;
const O_RDONLY_CLOEXEC = 0o2000000;
const O_PATH_CLOEXEC = 0o12000000;
// Bun ignores these two signals, and execve keeps them ignored.
const SIGPIPE = 13;
const SIGXFSZ = 25;

const ENOENT = 2;
const ENOEXEC = 8;
const EACCES = 13;
const WORDS: Readonly<Record<number, string>> = {
  [ENOENT]: "No such file or directory",
  [ENOEXEC]: "Exec format error: it may be built for another kind of machine",
  [EACCES]: "Permission denied",
};

// The exit codes of a shell for a program that cannot be executed or is not found.
const CANNOT_EXECUTE = 126;
const NOT_FOUND = 127;
/** The plugin could not be confined, and was not started. */
const NOT_CONFINED = 125;

const library = openLibc();
const { call: libc, at, text, numbers, list, errno } = library;

function end(code: number, message: string): never {
  writeSync(2, `hub: ${message}\n`);
  process.exit(code);
}

function failed(what: string): never {
  const number = errno();
  return end(NOT_CONFINED, `the plugin could not be confined and was not started: ${what} failed (error ${number})`);
}

function restrict({ handled, scoped, rules }: Restriction): void {
  // handled_access_fs, handled_access_net, scoped. Older versions accept zeros for fields that they do not know.
  const attributes = numbers([BigInt(handled), 0n, BigInt(scoped)]);
  const ruleset = Number(libc.syscall(CREATE_RULESET, BigInt(attributes), 24n, 0n, 0n, 0n));
  if (ruleset < 0) failed("landlock_create_ruleset");
  for (const [path, rights] of rules) addRule(ruleset, path, rights & handled);
  if (Number(libc.syscall(RESTRICT_SELF, BigInt(ruleset), 0n, 0n, 0n, 0n)) !== 0) failed("landlock_restrict_self");
}

function addRule(ruleset: number, path: string, rights: number): void {
  const file = libc.open(text(path), O_PATH_CLOEXEC, 0);
  // It was deleted meanwhile: nothing to grant.
  if (file < 0) return;
  // allowed_access and parent_fd, packed.
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, BigInt(rights), true);
  rule.setInt32(8, file, true);
  const address = BigInt(at(new Uint8Array(rule.buffer)));
  const added = Number(libc.syscall(ADD_RULE, BigInt(ruleset), RULE_PATH_BENEATH, address, 0n, 0n));
  closeSync(file);
  if (added !== 0) failed(`landlock_add_rule for ${path}`);
}

/** For this thread, which is the only one that execve leaves. */
function filterSystemCalls({ hub, landlock, network, unixSockets, signals }: LaunchOrder): void {
  const filter = systemCallFilter({
    ...{ arch: process.arch, pid: process.pid, hub, network, unixSockets, signals },
    isEmptyingHeld: landlock?.isEmptyingHeld ?? true,
  });
  if (!filter) return;
  // struct sock_fprog: the number of instructions, and where they are.
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, filter.length / 8, true);
  program.setBigUint64(8, BigInt(at(filter)), true);
  const address = BigInt(at(new Uint8Array(program.buffer)));
  if (signals === "asked") letAnswer(address);
  else if (libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address, 0n, 0n) !== 0) failed("the filter of system calls");
}

/** The filter at this address, with the hub as who is asked. */
function letAnswer(filter: bigint): void {
  const install = (flags: bigint): number =>
    Number(libc.syscall(SECCOMP[process.arch] ?? 0, SECCOMP_SET_MODE_FILTER, flags, filter, 0n, 0n));
  let listener = install(NEW_LISTENER | WAIT_KILLABLE);
  const isUndisturbed = listener >= 0;
  if (!isUndisturbed && errno() === EINVAL) listener = install(NEW_LISTENER);
  if (listener < 0) failed("letting the hub answer for signals");
  const byte = at(Uint8Array.of(isUndisturbed ? 1 : 0));
  // struct cmsghdr with a descriptor, then struct msghdr, for that one byte.
  const control = new DataView(new ArrayBuffer(24));
  control.setBigUint64(0, 20n, true);
  for (const [place, value] of [SOL_SOCKET, SCM_RIGHTS, listener].entries())
    control.setInt32(8 + place * 4, value, true);
  const vector = BigInt(numbers([BigInt(byte), 1n]));
  const beside = BigInt(at(new Uint8Array(control.buffer)));
  const message = numbers([0n, 0n, vector, 1n, beside, 24n, 0n]);
  if (Number(libc.sendmsg(SIGNAL_LINE, message, 0)) !== 1) failed("naming the filter to the hub");
}

function label(value: number): void {
  // struct rlimit: what is, and what may be.
  const limit = BigInt(numbers([BigInt(value), BigInt(value)]));
  if (Number(libc.syscall(PRLIMIT[process.arch] ?? 0, 0n, RLIMIT_LOCKS, limit, 0n, 0n)) !== 0) failed("its label");
}

// Called after the restriction, so that links of the plugin cannot lead this outside.
function emptyFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`, { recursive: true, force: true });
  } catch {
    // The plugin gets the error when it uses the folder.
  }
}

function become(order: LaunchOrder): never {
  const { argv, env } = order;
  const [program = ""] = argv;
  // The mark by which the reaper finds the processes of this run.
  const all = { ...env, ...(process.env.HUB_RUN && { HUB_RUN: process.env.HUB_RUN }) };
  const variables = list(Object.entries(all).map(([name, value]) => `${name}=${value}`));
  const words = list(argv);
  const shell = list(["sh", ...argv]);
  const [path, sh] = [text(program), text("/bin/sh")];
  for (const signal of [SIGPIPE, SIGXFSZ]) libc.signal(signal, 0n);
  const input = libc.open(text("/dev/null"), O_RDONLY_CLOEXEC, 0);
  if (input >= 0) libc.dup2(input, 0);
  // The plugin must not inherit other open files.
  libc.syscall(CLOSE_RANGE, 3n, 0xffffffffn, CLOSE_RANGE_CLOEXEC, 0n, 0n);
  if (order.filtersCalls) filterSystemCalls(order);
  libc.execve(path, words, variables);
  let problem = errno();
  if (problem === ENOEXEC && !isProgram(program)) {
    // A script without `#!` line is run by the shell, as shells do.
    libc.execve(sh, shell, variables);
    problem = errno();
  }
  return end(
    problem === ENOENT ? NOT_FOUND : CANNOT_EXECUTE,
    `${program} cannot be executed: ${WORDS[problem] ?? `error ${problem}`}`,
  );
}

// Without this check, the shell would run a binary for another processor as a script.
function isProgram(path: string): boolean {
  try {
    return readFileSync(path).subarray(0, 4).equals(Buffer.from("\x7fELF"));
  } catch {
    return false;
  }
}

function drop(capabilities: readonly number[]): void {
  for (const capability of capabilities) libc.prctl(PR_CAPBSET_DROP, BigInt(capability), 0n, 0n, 0n);
}

/** What it had in its namespaces for the mounts; root would get it back from what is inheritable. */
function dropAll(): void {
  if (libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0n, 0n, 0n) !== 0) failed("giving up capabilities");
  // struct __user_cap_header_struct: the version, and this process; then six words of capabilities.
  const header = BigInt(at(new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer)));
  const none = BigInt(numbers([0n, 0n, 0n]));
  if (Number(libc.syscall(CAPSET[process.arch] ?? 0, header, none, 0n, 0n, 0n)) !== 0) failed("giving up capabilities");
}

// If the hub died before, the JSON is incomplete, and nothing runs.
const order: LaunchOrder = JSON.parse(readFileSync(0, "utf8"));
const problem = order.view && enterFileView(order.view, library);
if (problem !== undefined) failed(problem);
process.chdir(order.cwd);
drop(order.drop);
if (order.view) dropAll();
if (order.label !== undefined) label(order.label);
if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) failed("no_new_privs");
if (order.landlock) restrict(order.landlock);
if (order.temporary !== undefined) emptyFolder(order.temporary);
become(order);
