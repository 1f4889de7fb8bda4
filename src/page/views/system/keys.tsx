// API keys: what programs sign in with. Each is shown once, when it is made.

import { useEffect, useState } from "preact/hooks";
import { AdminPage, Entries, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { forAdmins, Removal } from "../../parts/acting/use-act.tsx";
import { areaName, readAreas } from "../../state/house/areas.ts";
import { remove } from "../../state/hub/api.ts";
import type { Role } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatTime, t } from "../../texts/index.ts";
import { NewSecret } from "../../ui/copy-button.tsx";
import { type MadeKey, NewKey } from "./new-key.tsx";

interface ApiKey {
  id: string;
  label: string;
  role: Role;
  owner: string | null;
  created_at: string;
  expires_at: string | null;
  scopes: string[];
  areas: string[] | null;
  devices: string[];
  read_only: boolean | null;
}

const NONE: string[] = [];

export function Keys() {
  const keys = useHubData<ApiKey[]>(forAdmins("/auth/api-keys"), { after: NONE });
  const [made, setMade] = useState<MadeKey>();
  useEffect(() => {
    void readAreas().catch(() => {});
  }, []);
  return (
    <AdminPage title={t("keys.title")} back={toSystem()}>
      <p>{t("keys.about")}</p>
      {made && (
        <NewSecret
          title={t("keys.made", { label: made.label })}
          text={made.key}
          notes={made.scopes.includes("mcp") ? [t("keys.mcp_address", { url: `${location.origin}/mcp` })] : []}
          onDone={() => setMade(undefined)}
        />
      )}
      <Entries of={keys} label={t("keys.title")} empty={t("keys.none")}>
        {(key) => (
          <Entry key={key.id} name={key.label} about={<p dir="auto">{aboutOf(key)}</p>}>
            <Removal
              name={key.label}
              text={t("keys.withdraw")}
              loses={t("keys.loses")}
              act={() => remove(`/auth/api-keys/${encodeURIComponent(key.id)}`).then(keys.read)}
            />
          </Entry>
        )}
      </Entries>
      <NewKey
        onMade={(key) => {
          setMade(key);
          void keys.read();
        }}
      />
    </AdminPage>
  );
}

function aboutOf(key: ApiKey): string {
  const { role, owner, created_at, expires_at } = key;
  return [
    ...(key.scopes.includes("mcp") ? mcpRightsOf(key) : [t(`role.${role}`)]),
    t("keys.since", { time: formatTime(created_at) }),
    expires_at === null ? t("keys.no_end") : t("keys.until", { time: formatTime(expires_at) }),
    ...(owner === null ? [] : [t("keys.owner", { name: owner })]),
  ].join(" · ");
}

function mcpRightsOf({ areas, devices, read_only }: ApiKey): string[] {
  const places = areas === null ? t("keys.mcp_whole_house") : areas.map(areaName).join(", ");
  return [
    t("keys.for_mcp"),
    ...[places, devices.join(", ")].filter((text) => text !== ""),
    t(read_only === false ? "keys.mcp_commands" : "keys.mcp_reads"),
  ];
}
