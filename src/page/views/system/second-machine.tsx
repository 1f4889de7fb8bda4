// The second machine of a house: whether it could take over, and how far its copy is behind.

import { formatDuration } from "../../model/text/formats.ts";
import { Facts } from "../../parts/acting/entries.tsx";
import { formatNumber, t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

export interface TwoMachines {
  epoch: number | null;
  lease: string | null;
  held: boolean;
  trouble: string | null;
  machine: Machine | null;
  took_over: { at: string; lost_secs: number } | null;
}

interface Machine {
  name: string;
  address: string;
  manual: boolean;
  version: string | null;
  heard_secs: number | null;
  whole: boolean;
  behind_secs: number | null;
  problem: string | null;
  confirms: boolean | null;
}

/** A few answers may fail before it counts as silent. */
const SILENT_SECS = 30;

export function SecondMachine({ of: { epoch, lease, held, trouble, machine, took_over } }: { of: TwoMachines }) {
  return (
    <section>
      <h2>{t("standby.title")}</h2>
      <Facts
        of={[
          [t("standby.name"), machine ? `${machine.name} · ${machine.address}` : t("standby.none")],
          ...(machine ? aboutIt(machine, lease !== null) : []),
          ...(lease === null
            ? []
            : [[t("standby.lease"), held ? (trouble ?? t("standby.held")) : t("standby.not_held")] as const]),
          ...(lease === null || epoch === null ? [] : [[t("standby.epoch"), formatNumber(epoch)] as const]),
          ...(took_over
            ? [
                [
                  t("standby.took_over"),
                  <>
                    <Moment at={took_over.at} /> · {t("standby.lost", { lost: formatDuration(took_over.lost_secs) })}
                  </>,
                ] as const,
              ]
            : []),
        ]}
      />
    </section>
  );
}

/** Without a lease nothing but a person decides. */
function aboutIt(
  { manual, whole, version, problem, confirms, ...times }: Machine,
  hasLease: boolean,
): [string, string][] {
  const { heard_secs: lastSeenSecs, behind_secs: behind } = times;
  const isSilent = lastSeenSecs === null || lastSeenSecs >= SILENT_SECS;
  return [
    [t("standby.takes_over"), t(manual || !hasLease ? "standby.by_hand" : "standby.by_itself")],
    [
      t("standby.copy"),
      isSilent
        ? silentFor(lastSeenSecs)
        : whole && behind !== null
          ? t("standby.behind", { behind: formatDuration(behind) })
          : t("standby.not_whole"),
    ],
    ...(confirms === null
      ? []
      : [[t("standby.changes"), t(confirms ? "standby.confirms" : "standby.unconfirmed")] as [string, string]]),
    ...(problem === null ? [] : [[t("standby.problem"), problem] as [string, string]]),
    ...(version === null ? [] : [[t("standby.version"), version] as [string, string]]),
  ];
}

function silentFor(lastSeenSecs: number | null): string {
  return lastSeenSecs === null ? t("standby.unheard") : t("standby.silent", { since: formatDuration(lastSeenSecs) });
}
