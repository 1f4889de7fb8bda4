// Whom a confined plugin may send a signal: its own processes, and nobody else. A number is no proof, as the kernel gives it to
// another process when the first one has ended; so each process is opened, looked at, and sent the signal by what was opened. Only where
// a process signals itself the kernel goes on by number: a number is not given away while its owner waits for the answer.
import { readdirSync } from "node:fs";
import { labelOf } from "../label.ts";
import { SIGNALS } from "../system-calls.ts";
import { groupOf, isThreadOf, type Kernel, type Notice, processOf } from "./kernel.ts";

/** Descriptors of processes that are to be sent the signal; whoever gets them closes them. */
export type Judgement = { goOn: true } | { error: number } | { targets: number[]; signal: number };

const EPERM = 1;
const ESRCH = 3;
const EINVAL = 22;
const MAX_SIGNAL = 64;
/** A process that starts while a group is looked through is found by looking again. */
const MAX_LOOKS = 5;

const GO_ON = { goOn: true } as const;
const column = process.arch === "arm64" ? 1 : 0;
const NAMES = new Map(Object.entries(SIGNALS).map(([name, numbers]) => [numbers[column], name]));

/** `label`: what the processes of this plugin are labelled with. */
export function judge(kernel: Kernel, { caller, call, args }: Notice, label: string): Judgement {
  const [first, second, third] = args;
  const isItself = (): boolean => isProcessOf(kernel, caller, first);

  function one(number: number, signal: number): Judgement {
    if (signal < 0 || signal > MAX_SIGNAL) return { error: EINVAL };
    const opened = openOwn(kernel, number, label);
    return opened < 0 ? { error: -opened } : { targets: [opened], signal };
  }

  switch (NAMES.get(call)) {
    case "kill":
      if (isItself()) return GO_ON;
      return first > 0 ? one(first, second) : group(kernel, { group: -first, signal: second, label });
    case "tkill":
      return first === caller ? GO_ON : first > 0 ? one(first, second) : { error: EINVAL };
    case "tgkill":
      if (isItself()) return GO_ON;
      // To a thread of another process: it is sent to that process.
      return first > 0 && processOf(second) === first ? one(first, third) : { error: ESRCH };
    default:
      // With a value beside it, which only its own process gets.
      return isItself() ? GO_ON : { error: EPERM };
  }
}

/** Whether this is the number of the process that the thread is of; that of another of its threads is not, as that one may end. */
function isProcessOf(kernel: Kernel, thread: number, number: number): boolean {
  if (number <= 0) return false;
  const opened = kernel.openProcess(number);
  if (opened < 0) return false;
  try {
    return isThreadOf(thread, number) && kernel.signal(opened, 0) === 0;
  } finally {
    kernel.close(opened);
  }
}

/** The descriptor of the process, also by the number of one of its threads; or an error below zero. */
function openOwn(kernel: Kernel, number: number, label: string): number {
  let pid = number;
  let opened = kernel.openProcess(pid);
  if (opened < 0) {
    pid = processOf(number) ?? 0;
    if (pid === 0) return -ESRCH;
    opened = kernel.openProcess(pid);
  }
  if (opened < 0) return opened;
  const isOwn = labelOf(pid) === label;
  // As long as the descriptor has a process, the number was that process's when its label was read.
  const there = kernel.signal(opened, 0);
  if (isOwn && there === 0) return opened;
  kernel.close(opened);
  return isOwn ? there : -EPERM;
}

interface Group {
  group: number;
  signal: number;
  label: string;
}

/** As the kernel says it: nobody there, nobody it may reach, or done. */
function group(kernel: Kernel, { group, signal, label }: Group): Judgement {
  if (signal < 0 || signal > MAX_SIGNAL) return { error: EINVAL };
  const seen = new Set<number>();
  const targets: number[] = [];
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && !seen.has(pid) && groupOf(pid) === group);
    if (found.length === 0) break;
    for (const pid of found) {
      seen.add(pid);
      const opened = openOwn(kernel, pid, label);
      if (opened >= 0) targets.push(opened);
    }
  }
  if (seen.size === 0) return { error: ESRCH };
  return targets.length === 0 ? { error: EPERM } : { targets, signal };
}
