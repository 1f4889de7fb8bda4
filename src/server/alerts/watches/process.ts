// The hub itself: its memory, how it ended last time, the limits that guests reach, its databases and its certificate.
import { RESTART_THE_HUB } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Finding, Watch } from "../alert.ts";

const DAY_MS = 86_400_000;
// The alert begins at the limit and ends a tenth below it.
const RECOVERED = 0.9;

export function memoryWatch(residentBytes: () => number, limitMb: number): Watch {
  return {
    name: "memory",
    check(isRaised) {
      const mb = Math.round(residentBytes() / 1_000_000);
      if (mb < (isRaised("memory") ? limitMb * RECOVERED : limitMb)) return [];
      return [
        {
          kind: "memory",
          severity: "warning",
          message: `The hub uses ${mb} MB of memory`,
          mend: "Restart it if this stays, and report it with its log; [alerts] memory_mb sets the limit.",
          values: { used_mb: mb },
        },
      ];
    },
  };
}

/** One finding for each limit that guests keep reaching. */
export function floodWatch(reached: () => readonly { limit: string; account: string; message: string }[]): Watch {
  return {
    name: "flood",
    check: () =>
      reached().map(
        ({ limit, account, message }): Finding => ({
          kind: "flood",
          about: `${limit} ${account}`,
          severity: "warning",
          message: `${account} reached the limit ${limit}: ${message}`,
          mend: "Look at what that device or plugin does; if it is honest, raise the limit in hub.toml.",
          values: { limit, account, reason: message },
        }),
      ),
  };
}

/** `addresses`: those that failed to log in more often than is allowed, in the last ten minutes. */
export function guessingWatch(addresses: () => readonly string[]): Watch {
  return {
    name: "password guessing",
    check: () =>
      addresses().map(
        (address): Finding => ({
          kind: "password_guessing",
          about: address,
          severity: "warning",
          message: `Somebody at ${address} tried wrong passwords again and again, and has to wait`,
          mend: "If that was nobody of the house, find the device or plugin: the audit log has each try. An old password in a program looks the same.",
          values: { address },
        }),
      ),
  };
}

/** Findings of the start; their alerts last a day. */
export function startWatch(findings: readonly Finding[], clock: Clock): Watch {
  const begun = clock.mono();
  return { name: "start", check: () => (clock.mono() - begun < DAY_MS ? findings : []) };
}

export const UNCLEAN_STOP: Finding = {
  kind: "unclean_stop",
  severity: "info",
  message: "The hub did not stop properly last time: a power cut, a crash or a kill",
  mend: "Nothing that was acknowledged is lost. If nobody cut the power, the log before the start says more.",
};

/** `keptAs`: where the damaged file was moved; undefined if it was missing or empty. */
export function databaseLost(keptAs: string | undefined, mend: string): Finding {
  const how = keptAs === undefined ? "is missing or empty" : `was damaged; it is kept as ${keptAs}`;
  return {
    kind: "database_lost",
    severity: "critical",
    message: `The state database of this house ${how}: its devices, users, scenes and settings are gone`,
    mend,
    ...(keptAs === undefined ? { variant: "missing" } : { variant: "damaged", values: { file: keptAs } }),
  };
}

/** Less severe than losing the state database: the house runs on without its past. */
export const HISTORY_LOST: Finding = {
  kind: "database_lost",
  about: "history",
  severity: "warning",
  message: "The history of this house is missing or empty: a new one was begun, and what was recorded before is gone",
  mend: "If it is wanted back, stop the hub and restore a backup with its history: hub restore FILE.",
  variant: "history_missing",
};

/** Lasts a day after a damaged history was found; `file` is where it was moved. */
export function historyWatch(file: () => string | undefined, clock: Clock): Watch {
  let found: { file: string; at: number } | undefined;
  return {
    name: "history",
    check() {
      const current = file();
      if (current !== undefined && current !== found?.file) found = { file: current, at: clock.mono() };
      if (found === undefined || clock.mono() - found.at >= DAY_MS) return [];
      return [
        {
          ...HISTORY_LOST,
          message: `The history of this house was damaged; it is kept as ${found.file}, and a new one was begun`,
          variant: "history_damaged",
          values: { file: found.file },
        },
      ];
    },
  };
}

/** `expiresAt`: epoch ms; undefined without TLS, or if the certificate cannot be read. */
export function certificateWatch(expiresAt: () => number | undefined, now: () => number, days: number): Watch {
  return {
    name: "certificate",
    check() {
      const at = expiresAt();
      const left = at === undefined ? Number.POSITIVE_INFINITY : Math.floor((at - now()) / DAY_MS);
      if (left >= days) return [];
      const when = left < 0 ? "has expired" : `expires in ${left} days`;
      return [
        {
          kind: "certificate",
          severity: left < 3 ? "critical" : "warning",
          message: `The TLS certificate of the hub ${when}`,
          mend: `Renew it ([server] tls_cert and tls_key), then ${RESTART_THE_HUB}.`,
          ...(left < 0 ? { variant: "expired" } : { values: { days: left } }),
        },
      ];
    },
  };
}
