// By what the kernel holds plugins on this machine: the best that it has.
import { dlopen } from "bun:ffi";
import { type Static, Type } from "@sinclair/typebox";
import { errnoAt, gaps, handledRights, holdsEmptying, type Landlock, scopes } from "./landlock.ts";
import type { Namespaces } from "./namespaces.ts";
import type { SignalGuard } from "./signals/guard.ts";
import type { SignalRule } from "./system-calls.ts";

/** `nothing` where the entry wants it so, and where the machine has none of them, as another system than Linux. */
export const HeldBy = Type.Union([
  Type.Literal("landlock"),
  Type.Literal("namespaces"),
  Type.Literal("system_calls"),
  Type.Literal("nothing"),
]);
export type HeldBy = Static<typeof HeldBy>;

export interface Means {
  heldBy: HeldBy;
  /** For people: by what, with what it cannot refuse; or why not by more. */
  detail: string;
  landlock: { handled: number; scoped: number; isEmptyingHeld: boolean } | undefined;
  /** Whether the kernel filters system calls. */
  filtersCalls: boolean;
  signals: SignalRule;
  /** What is put before the launcher's command, where it runs in namespaces. */
  command: readonly string[] | undefined;
}

/** What is filtered for these processors is in system-calls.ts. */
const FILTERED = ["x64", "arm64"];
const NONE = { landlock: undefined, command: undefined, filtersCalls: false, signals: "not_the_hub" as const };
const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2n;
const EFAULT = 14;

/** Asks the kernel for a filter that is nowhere. Changes nothing. An emulator of processors refuses all of them. */
export function filtersSystemCalls(): boolean {
  if (process.platform !== "linux" || !FILTERED.includes(process.arch)) return false;
  try {
    const library = dlopen("libc.so.6", {
      prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
      __errno_location: { args: [], returns: "ptr" },
    });
    try {
      library.symbols.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0n, 0n, 0n);
      return errnoAt(library.symbols.__errno_location()) === EFAULT;
    } finally {
      library.close();
    }
  } catch {
    // Another C library, which the launcher cannot use either.
    return false;
  }
}

/** Without `guard`, signals to others are refused: what is started has no processes to send them to. */
export interface MeansOptions {
  landlock: Landlock;
  namespaces: () => Namespaces;
  filtersCalls: boolean;
  guard: Pick<SignalGuard, "whyNot"> | undefined;
}

export function meansOf({ landlock: { abi, reason }, namespaces, filtersCalls, guard }: MeansOptions): Means {
  const { signals, whyNot } = signalsOf(scopes(abi) !== 0, filtersCalls, guard);
  if (abi > 0) {
    const detail = [`Landlock ${abi}`, gaps(abi, filtersCalls, whyNot)].filter(Boolean).join(": ");
    const landlock = { handled: handledRights(abi), scoped: scopes(abi), isEmptyingHeld: holdsEmptying(abi) };
    return { ...NONE, heldBy: "landlock", detail, landlock, filtersCalls, signals };
  }
  if (!filtersCalls)
    return { ...NONE, heldBy: "nothing", detail: `${reason}, and system calls cannot be filtered here either` };
  const { command, reason: why } = namespaces();
  const gap = whyNot === undefined ? "" : `: they cannot refuse signals to processes of the same user (${whyNot})`;
  if (command)
    return {
      ...{ ...NONE, filtersCalls, signals },
      heldBy: "namespaces",
      detail: `namespaces and a filter of system calls, as ${reason}${gap}`,
      command,
    };
  return {
    ...{ ...NONE, filtersCalls, signals },
    heldBy: "system_calls",
    detail: `a filter of system calls alone, so it can read what the hub can: ${reason}, and ${why}`,
  };
}

function signalsOf(
  areScoped: boolean,
  filtersCalls: boolean,
  guard: MeansOptions["guard"],
): { signals: SignalRule; whyNot: string | undefined } {
  if (areScoped) return { signals: "scoped", whyNot: undefined };
  if (!filtersCalls) return { signals: "not_the_hub", whyNot: "system calls cannot be filtered here" };
  if (!guard) return { signals: "itself", whyNot: undefined };
  const whyNot = guard.whyNot();
  return { signals: whyNot === undefined ? "asked" : "not_the_hub", whyNot };
}
