// A house with two machines: the standby is silent, cannot copy, has no whole copy or another version; the lease cannot be renewed; this machine
// has taken over.
import type { Clock } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

export interface TwoMachines {
  /** Where it is kept. */
  lease: string | null;
  trouble: string | null;
  machine: {
    name: string;
    version: string | null;
    heard_secs: number | null;
    whole: boolean;
    behind_secs: number | null;
    problem: string | null;
  } | null;
  took_over: {
    from: string;
    reason: "handed_over" | "gone" | "promoted";
    lost_secs: number;
    gone_secs: number;
  } | null;
}

const MINUTE_MS = 60_000;
const SILENT_MS = 5 * MINUTE_MS;
/** What mends itself in a moment is nobody's matter. */
const PROBLEM_MS = MINUTE_MS;
const NOT_WHOLE_MS = 15 * MINUTE_MS;
/** Both machines get a new version one after the other. */
const OTHER_VERSION_MS = 10 * MINUTE_MS;
const NO_LEASE_MS = 15_000;
/** A standby that was seen in this time has promised not to take over. */
const ANSWERS_SECS = 30;
const REPORTED_MS = 86_400_000;

export function standbyWatch(
  look: () => TwoMachines | undefined,
  { clock, version, whenAlone }: { clock: Clock; version: string; whenAlone: "stop" | "continue" },
): Watch {
  const begun = clock.mono();
  /** Since when each is so, monotonic ms. */
  const since = new Map<string, number>();

  function lasts(what: string, isSo: boolean, forMs: number): boolean {
    if (!isSo) {
      since.delete(what);
      return false;
    }
    const from = since.get(what) ?? clock.mono();
    since.set(what, from);
    return clock.mono() - from >= forMs;
  }

  function ofStandby(machine: NonNullable<TwoMachines["machine"]>): Finding[] {
    const { name, heard_secs, whole, behind_secs, version: other, problem } = machine;
    const silentMs = heard_secs === null ? clock.mono() - begun : heard_secs * 1000;
    const isBehind = !whole || (behind_secs !== null && behind_secs * 1000 >= NOT_WHOLE_MS);
    const isIncomplete = lasts("copy", isBehind, whole ? 0 : NOT_WHOLE_MS);
    const isHindered = lasts("problem", problem !== null, PROBLEM_MS);
    const isOther = lasts("version", other !== null && other !== version, OTHER_VERSION_MS);
    // A machine that is not there has other faults only in consequence.
    if (silentMs >= SILENT_MS) return [silent(name, Math.floor(silentMs / MINUTE_MS))];
    return [
      // The cause, where it is known.
      ...(isHindered && problem !== null ? [hindered(name, problem)] : isIncomplete ? [incomplete(name)] : []),
      ...(isOther && other !== null ? [otherVersion(name, { other, version })] : []),
    ];
  }

  return {
    name: "standby",
    check() {
      const seen = look();
      if (!seen) return [];
      const { machine, lease, trouble, took_over } = seen;
      const answers = machine !== null && promises(machine);
      return [
        ...(machine ? ofStandby(machine) : []),
        ...(lasts("lease", trouble !== null, NO_LEASE_MS)
          ? [noLease({ lease: lease ?? "", reason: trouble ?? "" }, { answers, whenAlone })]
          : []),
        ...(took_over && clock.mono() - begun < REPORTED_MS ? [tookOver(took_over)] : []),
      ];
    },
  };
}

/** What it says with an answer that it could not take is no promise. */
function promises({
  heard_secs: lastSeenSecs,
  problem,
  behind_secs: behind,
}: NonNullable<TwoMachines["machine"]>): boolean {
  if (lastSeenSecs === null || lastSeenSecs >= ANSWERS_SECS) return false;
  return problem === null || (behind !== null && behind < ANSWERS_SECS);
}

const kind = "standby" as const;

function silent(name: string, minutes: number): Finding {
  return {
    ...{ kind, about: "silent", severity: "warning", variant: "silent", values: { name, minutes } },
    message: `The second machine ${name} has not been heard for ${minutes} minutes`,
    mend: "Nobody takes over while it is away. See whether it runs and reaches this one: `hub standby status` there says more.",
  };
}

function incomplete(name: string): Finding {
  return {
    ...{ kind, about: "copy", severity: "warning", variant: "copy", values: { name } },
    message: `The second machine ${name} has had no whole copy of this house for 15 minutes`,
    mend: "It cannot take over without one. `hub standby status` and the log there say what is missing.",
  };
}

function hindered(name: string, problem: string): Finding {
  return {
    ...{ kind, about: "copy", severity: "warning", variant: "problem", values: { name, problem } },
    message: `The second machine ${name} says: ${problem}`,
    mend: "Its copy stays as it was before, with which it can take over; it goes on by itself once this is mended there.",
  };
}

function otherVersion(name: string, { other, version }: { other: string; version: string }): Finding {
  return {
    ...{ kind, about: "version", severity: "warning", variant: "version", values: { name, other, version } },
    message: `The second machine ${name} has version ${other}, and this one ${version}`,
    mend: "It may not be able to take over: bring both to the same version (`hub upgrade`).",
  };
}

function noLease(
  values: { lease: string; reason: string },
  { answers, whenAlone }: { answers: boolean; whenAlone: "stop" | "continue" },
): Finding {
  const { lease, reason } = values;
  const message = `The lease at ${lease} cannot be renewed: ${reason}`;
  const shared = { kind: "lease" as const, message, values };
  if (answers)
    return {
      ...shared,
      severity: "warning",
      variant: "kept",
      mend: "The hub goes on as long as the second machine answers; nobody can take over until the lease is back. See whether its engine runs.",
    };
  return {
    ...shared,
    severity: "critical",
    variant: "alone",
    mend:
      whenAlone === "stop"
        ? "The second machine is not heard either, so this one stops when its lease ends, as the other may be the hub then."
        : "The second machine is not heard either. The hub goes on ([standby] when_alone): see that the other one does not, too.",
  };
}

function tookOver({ from, reason, lost_secs: lost, gone_secs: gone }: NonNullable<TwoMachines["took_over"]>): Finding {
  const shared = { kind: "took_over" as const, values: { from, lost, gone } };
  if (reason === "handed_over")
    return {
      ...shared,
      severity: "info",
      variant: "handed_over",
      message: `This machine took over from ${from}, which handed over: nothing was lost, and for at most ${gone} seconds there was no hub`,
      mend: "Nothing is to be done.",
    };
  return {
    ...shared,
    severity: "warning",
    variant: reason,
    message: `This machine took over from ${from}${reason === "gone" ? ", which is gone" : ""}: at most ${lost} seconds of what people did are missing, and for at most ${gone} seconds there was no hub`,
    mend: "Look after the other machine; when it is back it becomes the standby. `hub standby promote` there makes it the hub again.",
  };
}
