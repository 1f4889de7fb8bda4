// The audit log: who did what from where. The filter is in the address.

import { useEffect, useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import { formatExact } from "../../model/text/formats.ts";
import { AdminPage, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { ActButton } from "../../parts/acting/use-act.tsx";
import { get } from "../../state/hub/api.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatNumber, t, textFor } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

interface AuditRow {
  id: number;
  at: string;
  last_at: string;
  count: number;
  actor: { kind: string; id: string; name: string };
  address: string;
  action: string;
  target: string;
  outcome: string;
  detail: string;
}

const NONE: string[] = [];
const PAGE = 50;
/** Beginnings of actions, for the choice. */
const ACTIONS = [
  "login",
  "user",
  "key",
  "session",
  "rule",
  "device",
  "plugin",
  "config",
  "backup",
  "restore",
  "mcp",
  "request",
];

export function AuditLog() {
  const query = useAddress();
  const [actor, action] = [query.of("actor"), query.of("action")];
  const filter = new URLSearchParams({ limit: String(PAGE), ...(actor && { actor }), ...(action && { action }) });
  return (
    <AdminPage title={t("audit.title")} back={toSystem()}>
      <p>{t("audit.about")}</p>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          query.change({ actor: String(new FormData(event.currentTarget).get("actor")) }, true);
        }}
      >
        <label class="field">
          {t("audit.action")}
          <select value={action} onChange={(event) => query.change({ action: event.currentTarget.value }, true)}>
            <option value="">{t("audit.all")}</option>
            {[...new Set([...ACTIONS, ...(action ? [action] : [])])].map((one) => (
              <option key={one} value={one}>
                {textFor(`audit.of_${one}`) ?? one}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          {t("audit.actor")}
          <input key={actor} name="actor" defaultValue={actor} autocomplete="off" autocapitalize="none" />
        </label>
        <button type="submit">{t("audit.find")}</button>
        {(actor || action) && (
          <button type="button" onClick={() => query.change({ actor: "", action: "" }, true)}>
            {t("audit.clear")}
          </button>
        )}
      </form>
      <Rows key={filter.toString()} of={filter.toString()} />
    </AdminPage>
  );
}

function Rows({ of: filter }: { of: string }) {
  const newest = useHubData<AuditRow[]>(`/system/audit?${filter}`, { after: NONE });
  const [earlier, setEarlier] = useState<AuditRow[]>([]);
  const [isEnd, setIsEnd] = useState(false);
  const rows = distinct([...(newest.value ?? []), ...earlier]);

  useEffect(() => {
    if (newest.value && newest.value.length < PAGE) setIsEnd(true);
  }, [newest.value]);

  async function readEarlier(): Promise<void> {
    const more = await get<AuditRow[]>(`/system/audit?${filter}&before=${rows.at(-1)?.id ?? 0}`);
    setEarlier([...rows, ...more]);
    setIsEnd(more.length < PAGE);
  }

  return (
    <>
      <Problem of={newest.problem} />
      {newest.value && rows.length === 0 && <p class="hint">{t("audit.none")}</p>}
      <ul class="entries" aria-label={t("audit.title")}>
        {rows.map((row) => (
          <Entry key={row.id} bad={row.outcome !== "ok"} name={nameOf(row)} about={<About of={row} />} />
        ))}
      </ul>
      {newest.value && !isEnd && <ActButton act={readEarlier}>{t("audit.earlier")}</ActButton>}
      {isEnd && rows.length > 0 && <p class="hint">{t("audit.end")}</p>}
    </>
  );
}

function distinct(rows: readonly AuditRow[]): AuditRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => b.id - a.id);
}

/** `anna · rule.run · hall_lamp`. */
function nameOf({ actor, action, target }: AuditRow): string {
  const who = actor.name || (textFor(`audit.by_${actor.kind}`) ?? actor.kind);
  return [who, action, target].filter(Boolean).join(" · ");
}

function About({ of: { last_at, count, address, outcome, detail } }: { of: AuditRow }) {
  const facts = [
    outcome === "ok" ? "" : (textFor(`audit.was_${outcome}`) ?? outcome),
    count > 1 ? t("audit.times", { count: formatNumber(count) }) : "",
    address,
    detail,
  ];
  return (
    <p dir="auto">
      <Moment at={last_at} /> ({formatExact(last_at)}){facts.filter(Boolean).map((fact) => ` · ${fact}`)}
    </p>
  );
}
