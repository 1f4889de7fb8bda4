// Backups: those that are made by themselves, one to keep elsewhere, and the way back to one.

import { useState } from "preact/hooks";
import { formatBytes } from "../../model/text/formats.ts";
import { AdminPage, Entries, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { ActButton, forAdmins } from "../../parts/acting/use-act.tsx";
import { RestoreArchive } from "../../parts/restore/restore-archive.tsx";
import { RestoreCopy } from "../../parts/restore/restore-copy.tsx";
import { saveArchive } from "../../state/admin/archive.ts";
import { type HubData, useHubData } from "../../state/hub/watched.ts";
import { formatNumber, formatTime, t } from "../../texts/index.ts";
import { BackupPlaces } from "./backup-places.tsx";

interface Shelved {
  name: string;
  at: string;
  bytes: number;
  encrypted: boolean;
  counts: Record<string, number> | null;
  hub_version: string | null;
  problem: string | null;
}

const NONE: string[] = [];

export function Backups() {
  const shelf = useHubData<Shelved[]>(forAdmins("/system/backups"), { after: NONE });
  return (
    <AdminPage title={t("backups.title")} back={toSystem()}>
      <SaveOne />
      <Shelf of={shelf} />
      <BackupPlaces onMade={shelf.read} />
      <section>
        <h2>{t("archive.title")}</h2>
        <RestoreArchive />
        <h3>{t("copies.title")}</h3>
        <RestoreCopy />
        <p class="hint">{t("archive.undo")}</p>
      </section>
    </AdminPage>
  );
}

function SaveOne() {
  const [state, setState] = useState<{ bytes: number; name?: string }>();

  async function save(): Promise<void> {
    setState({ bytes: 0 });
    try {
      const name = await saveArchive((bytes) => setState({ bytes }));
      setState((before) => ({ bytes: before?.bytes ?? 0, name }));
    } catch (error) {
      setState(undefined);
      throw error;
    }
  }

  const isUnderWay = state !== undefined && state.name === undefined;
  return (
    <section>
      <p>{t("backups.about")}</p>
      <div class="buttons">
        <ActButton act={save} look="main">
          {t("backups.save")}
        </ActButton>
      </div>
      {isUnderWay && <progress aria-label={t("backups.save")} />}
      <p role="status" class="hint">
        {isUnderWay &&
          (state.bytes === 0 ? t("backups.making") : t("backups.saving", { size: formatBytes(state.bytes) }))}
        {state?.name !== undefined && t("backups.saved", { name: state.name, size: formatBytes(state.bytes) })}
      </p>
      <p class="hint">{t("backups.secrets")}</p>
    </section>
  );
}

function Shelf({ of: shelf }: { of: HubData<Shelved[]> }) {
  return (
    <section>
      <h2>{t("backups.shelf")}</h2>
      <Entries of={shelf} label={t("backups.shelf")} empty={t("backups.none")}>
        {(one) => (
          <Entry
            key={one.name}
            bad={one.problem !== null}
            name={formatTime(one.at)}
            about={
              <>
                <p dir="auto">{one.problem ?? aboutOf(one)}</p>
                <p dir="auto">{one.name}</p>
              </>
            }
          />
        )}
      </Entries>
    </section>
  );
}

function aboutOf({ bytes, encrypted, counts, hub_version: version }: Shelved): string {
  const parts = [
    formatBytes(bytes),
    encrypted ? t("backups.encrypted") : t("backups.verified"),
    ...(counts ? [countsInWords(counts)] : []),
    ...(version === null ? [] : [t("backups.of_version", { version })]),
  ];
  return parts.join(" · ");
}

export function countsInWords({ devices = 0, rules = 0, users = 0 }: Record<string, number>): string {
  return t("backups.counts", {
    devices: formatNumber(devices),
    rules: formatNumber(rules),
    users: formatNumber(users),
  });
}
