// Where copies of the backups are kept elsewhere: how each place is, and what can be done there.

import { formatBytes } from "../../model/text/formats.ts";
import { Entries, Entry } from "../../parts/acting/entries.tsx";
import { ActButton, forAdmins } from "../../parts/acting/use-act.tsx";
import { makeBackup, saveRecoverySheet } from "../../state/admin/archive.ts";
import { post } from "../../state/hub/api.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatTime, t } from "../../texts/index.ts";

export interface BackupPlace {
  name: string;
  address: string;
  doing: "idle" | "waiting" | "copying" | "checking";
  progress: number | null;
  last_success: string | null;
  failing_since: string | null;
  problem: string | null;
  next: string | null;
  checked_at: string | null;
  check_problem: string | null;
  other_hubs: string[];
  copies: { name: string; at: string; bytes: number; verified_at: string | null }[];
}

const AFTER = ["backup_copied", "backup_copy_failed"];
const EVERY_MS = 5000;

export function BackupPlaces({ onMade }: { onMade: () => Promise<void> }) {
  const places = useHubData<BackupPlace[]>(forAdmins("/system/backups/remote"), { after: AFTER, everyMs: EVERY_MS });
  const hasSome = (places.value?.length ?? 0) > 0;

  async function make(): Promise<void> {
    await makeBackup();
    await Promise.all([places.read(), onMade()]);
  }

  return (
    <section>
      <h2>{t("places.title")}</h2>
      <Entries of={places} label={t("places.title")} empty={t("places.none")}>
        {(place) => <Place key={place.name} of={place} onTested={places.read} />}
      </Entries>
      <div class="buttons">
        <ActButton act={make}>{t("places.make")}</ActButton>
        {hasSome && <ActButton act={saveRecoverySheet}>{t("places.sheet")}</ActButton>}
      </div>
      {hasSome && <p class="hint">{t("places.sheet_why")}</p>}
    </section>
  );
}

function Place({ of: place, onTested }: { of: BackupPlace; onTested: () => Promise<void> }) {
  const { name, address, copies } = place;
  const wrong = place.check_problem ?? place.problem;

  async function test(): Promise<void> {
    await post(`/system/backups/targets/${encodeURIComponent(name)}/test`, {}, { timeoutMs: 10 * 60_000 });
    await onTested();
  }

  return (
    <Entry
      bad={wrong !== null}
      name={name}
      about={
        <>
          <p dir="auto">{stateOf(place)}</p>
          {wrong !== null && <p dir="auto">{wrong}</p>}
          {place.other_hubs.length > 0 && <p>{t("places.other_hubs")}</p>}
          <p dir="auto">{address}</p>
          {place.progress !== null && <progress aria-label={t("places.copying")} value={place.progress} />}
          {copies.length > 0 && (
            <details>
              <summary>{t("places.copies", { count: copies.length })}</summary>
              <ul>
                {copies.map((copy) => (
                  <li key={copy.name}>
                    {formatTime(copy.at)} · {formatBytes(copy.bytes)}
                    {copy.verified_at !== null && ` · ${t("places.read_back", { time: formatTime(copy.verified_at) })}`}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      }
    >
      <ActButton act={test} label={t("places.test_of", { name })}>
        {t("places.test")}
      </ActButton>
    </Entry>
  );
}

function stateOf({
  doing,
  failing_since: failing,
  last_success: last,
  next,
  checked_at: checked,
}: BackupPlace): string {
  const parts = [
    ...(doing === "idle" ? [] : [t(`places.${doing}`)]),
    ...(failing === null ? [] : [t("places.failing", { time: formatTime(failing) })]),
    ...(failing !== null && next !== null ? [t("places.next", { time: formatTime(next) })] : []),
    last === null ? t("places.never") : t("places.last", { time: formatTime(last) }),
    ...(checked === null ? [] : [t("places.checked", { time: formatTime(checked) })]),
  ];
  return parts.join(" · ");
}
