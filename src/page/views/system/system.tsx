// The hub itself: how it is, what is wrong and its mend, and the ways to what is administered.

import { formatBytes, formatDuration } from "../../model/text/formats.ts";
import { type Alert, alertInWords, type HubProblem, problemInWords } from "../../model/text/problem-words.ts";
import { AdminPage, Entry, Facts } from "../../parts/acting/entries.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { RestartHub } from "../../parts/config/restart-hub.tsx";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatNumber, t, textFor } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";
import { HistoryExports } from "./history-exports.tsx";
import { SecondMachine, type TwoMachines } from "./second-machine.tsx";

export interface SystemStatus {
  version: string;
  started_at: string;
  uptime_secs: number;
  devices: number;
  rules: number;
  plugins: number;
  memory_bytes: number;
  state_db_bytes: number;
  history_db_bytes: number;
  last_backup: string | null;
  last_restore: unknown;
  stream_clients: number;
  mqtt_clients: number;
  disk: { written_bytes_last_day: number | null; limit_bytes_per_day: number | null };
  safe_start: { failed_part: string; error: string; off: string[] } | null;
  standby: TwoMachines | null;
  problems: HubProblem[];
}

interface TimedAlert extends Alert {
  since: string;
}

const CHANGES = ["alert", "system_started", "plugin_status_changed", "standby_connected", "standby_lost"];
const ENDED_SHOWN = 10;

export function System() {
  const status = useHubData<SystemStatus>("/system/status", { after: CHANGES });
  const alerts = useHubData<TimedAlert[]>("/system/alerts", { after: CHANGES });
  return (
    <AdminPage title={t("system.title")} may="viewer">
      <Problem of={status.problem} />
      {status.value && <Troubles of={status.value} />}
      <Alerts of={alerts.value ?? []} />
      <HistoryExports />
      {allows("admin") && (
        <>
          <h2>{t("system.manage")}</h2>
          <SystemLinks />
        </>
      )}
      {status.value?.standby && <SecondMachine of={status.value.standby} />}
      {status.value && <Numbers of={status.value} />}
      {allows("admin") && (
        <div class="buttons">
          <RestartHub onBack={status.read} />
        </div>
      )}
    </AdminPage>
  );
}

function Troubles({ of: { problems, safe_start: safe } }: { of: SystemStatus }) {
  // Those that are off are among the alerts.
  const others = problems.filter(({ part }) => !safe?.off.includes(part));
  if (problems.length === 0 && !safe) return <p>{t("system.well")}</p>;
  return (
    <section>
      <h2>{t("system.problems")}</h2>
      {safe && (
        <p class="problem">
          {t("system.safe_start", { part: safe.failed_part, off: safe.off.join(", "), error: safe.error })}
        </p>
      )}
      <ul class="entries">
        {others.map((problem) => (
          <ProblemEntry key={problem.part + problem.message} of={problem} />
        ))}
      </ul>
    </section>
  );
}

function ProblemEntry({ of: { part, message } }: { of: HubProblem }) {
  const words = problemInWords({ part });
  return (
    <Entry
      bad
      name={words.part}
      about={
        <>
          <p lang="en" dir="auto">
            {message}
          </p>
          {words.mend !== undefined && <p>{words.mend}</p>}
        </>
      }
    />
  );
}

function Alerts({ of: alerts }: { of: readonly TimedAlert[] }) {
  const lasting = alerts.filter(({ until }) => until === null);
  const ended = alerts.filter(({ until }) => until !== null).slice(0, ENDED_SHOWN);
  return (
    <>
      {lasting.length > 0 && (
        <section>
          <h2>{t("system.alerts")}</h2>
          <AlertList of={lasting} />
        </section>
      )}
      {ended.length > 0 && (
        <details>
          <summary>{t("system.ended", { count: formatNumber(ended.length) })}</summary>
          <AlertList of={ended} />
        </details>
      )}
    </>
  );
}

function AlertList({ of: alerts }: { of: readonly TimedAlert[] }) {
  return (
    <ul class="entries">
      {alerts.map((alert) => (
        <AlertEntry key={alert.id + alert.since} of={alert} />
      ))}
    </ul>
  );
}

function AlertEntry({ of: alert }: { of: TimedAlert }) {
  const { kind, since, until } = alert;
  const { message, mend } = alertInWords(alert);
  return (
    <Entry
      bad={until === null}
      name={textFor(`attention.${kind}`) ?? message}
      about={
        <>
          <p dir="auto">{message}</p>
          <p dir="auto">{mend}</p>
          <p>
            {until === null ? t("system.since") : t("system.over")} <Moment at={until ?? since} />
          </p>
        </>
      }
    />
  );
}

function Numbers({ of: status }: { of: SystemStatus }) {
  const { written_bytes_last_day: written, limit_bytes_per_day: limit } = status.disk;
  return (
    <section>
      <h2>{t("system.now")}</h2>
      <Facts
        of={[
          [t("system.version"), status.version],
          [t("system.uptime"), formatDuration(status.uptime_secs)],
          [t("system.devices"), formatNumber(status.devices)],
          [t("system.rules"), formatNumber(status.rules)],
          [t("system.plugins"), formatNumber(status.plugins)],
          [t("system.mqtt_clients"), formatNumber(status.mqtt_clients)],
          [t("system.pages"), formatNumber(status.stream_clients)],
          [t("system.memory"), formatBytes(status.memory_bytes)],
          [t("system.state_db"), formatBytes(status.state_db_bytes)],
          [t("system.history_db"), formatBytes(status.history_db_bytes)],
          [t("system.written"), written === null ? t("system.unknown") : ofLimit(written, limit)],
          [t("system.last_backup"), status.last_backup ? <Moment at={status.last_backup} /> : t("system.never")],
        ]}
      />
    </section>
  );
}

function ofLimit(bytes: number, limit: number | null): string {
  return limit === null
    ? formatBytes(bytes)
    : t("system.of_limit", { bytes: formatBytes(bytes), limit: formatBytes(limit) });
}

const LINKS = [
  ["/system/backups", "backups"],
  ["/system/config", "config"],
  ["/system/users", "users"],
  ["/system/keys", "keys"],
  ["/system/sessions", "sessions"],
  ["/system/audit", "audit"],
  ["/plugins", "plugins"],
  ["/accounts", "accounts"],
] as const;

/** The ways to everything that is administered. */
function SystemLinks() {
  return (
    <ul class="links">
      {LINKS.map(([href, name]) => (
        <li key={href}>
          <a href={href}>
            {t(`system.link_${name}`)}
            <span>{t(`system.link_${name}_about`)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
