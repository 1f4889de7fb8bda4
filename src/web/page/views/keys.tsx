// API keys: what programs sign in with. Each is shown once, when it is made.
import { useState } from "preact/hooks";
import { AdminPage, toSystem } from "../components/admin/admin-page.tsx";
import { Entries, Entry } from "../components/admin/entries.tsx";
import { NewSecret } from "../components/admin/new-secret.tsx";
import { Removal } from "../components/admin/removal.tsx";
import { RoleField } from "../components/admin/role-field.tsx";
import { Problem } from "../components/problem.tsx";
import { useAct } from "../components/use-act.ts";
import { useHubData } from "../components/use-hub-data.ts";
import { canAct, forAdmins } from "../state/acting.ts";
import { post, remove } from "../state/api.ts";
import type { Role } from "../state/session.ts";
import { formatTime, t } from "../texts/index.ts";

interface ApiKey {
  id: string;
  label: string;
  role: Role;
  owner: string | null;
  created_at: string;
  expires_at: string | null;
}

interface Made {
  label: string;
  key: string;
}

const NONE: string[] = [];

export function Keys() {
  const keys = useHubData<ApiKey[]>(forAdmins("/auth/api-keys"), { after: NONE });
  const [made, setMade] = useState<Made>();
  return (
    <AdminPage title={t("keys.title")} back={toSystem()}>
      <p>{t("keys.about")}</p>
      {made && (
        <NewSecret title={t("keys.made", { label: made.label })} text={made.key} onDone={() => setMade(undefined)} />
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

function aboutOf({ role, owner, created_at, expires_at }: ApiKey): string {
  return [
    t(`role.${role}`),
    t("keys.since", { time: formatTime(created_at) }),
    expires_at === null ? t("keys.no_end") : t("keys.until", { time: formatTime(expires_at) }),
    ...(owner === null ? [] : [t("keys.owner", { name: owner })]),
  ].join(" · ");
}

function NewKey({ onMade }: { onMade: (made: Made) => void }) {
  const { busy, problem, run } = useAct();
  const [count, setCount] = useState(0);
  return (
    <section>
      <h2>{t("keys.new")}</h2>
      <form
        key={count}
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const days = Number(fields.get("days"));
          const body = {
            label: fields.get("label"),
            role: fields.get("role"),
            ...(days > 0 && { expires_in_days: days }),
          };
          void run(async () => onMade(await post<Made>("/auth/api-keys", body))).then(
            (done) => done && setCount(count + 1),
          );
        }}
      >
        <label class="field">
          {t("keys.label")}
          <input name="label" autocomplete="off" required />
        </label>
        <RoleField value="viewer" />
        <label class="field">
          {t("keys.days")}
          <input name="days" type="number" min={1} max={3650} inputMode="numeric" />
        </label>
        <Problem of={problem} />
        <div class="buttons">
          <button type="submit" class="main" disabled={busy || !canAct("admin")}>
            {t("keys.make")}
          </button>
        </div>
      </form>
    </section>
  );
}
