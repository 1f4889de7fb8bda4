// MQTT accounts of devices and programs: made by kind, with the lines to enter on the other side.

import { useEffect, useState } from "preact/hooks";
import { AdminPage, Entries, Entry, toSystem } from "../parts/acting/entries.tsx";
import { Problem } from "../parts/acting/problem.tsx";
import { ActButton, forAdmins, mayAct, Removal, useAct } from "../parts/acting/use-act.tsx";
import { readSetup, setup } from "../state/house/setup.ts";
import { post, remove } from "../state/hub/api.ts";
import { allows } from "../state/hub/session.ts";
import { useHubData } from "../state/hub/watched.ts";
import { formatTime, t } from "../texts/index.ts";
import { NewSecret } from "../ui/copy-button.tsx";

const KINDS = ["zigbee2mqtt", "tasmota", "shelly", "esphome", "plugin", "custom"] as const;
type Kind = (typeof KINDS)[number];

interface MqttAccount {
  name: string;
  kind: Kind;
  base: string | null;
  publish: string[];
  subscribe: string[];
  created_at: string;
}

interface Settings {
  username: string;
  lines: string[];
  notes: string[];
}

const NONE: string[] = [];
const pathOf = (name: string): string => `/mqtt/accounts/${encodeURIComponent(name)}`;

export function MqttAccounts() {
  const url = setup.value?.mqtt_external;
  // Whose broker it is, is read by administrators alone; the others read below that this is not for them.
  const [isAsking, setAsking] = useState(setup.value === undefined && allows("admin"));
  useEffect(() => {
    if (!allows("admin")) return;
    void readSetup()
      .catch(() => {})
      .finally(() => setAsking(false));
  }, []);
  if (isAsking) return null;
  return url ? <AtOtherBroker url={url} /> : <OwnAccounts />;
}

function AtOtherBroker({ url }: { url: string }) {
  return (
    <AdminPage title={t("accounts.title")} back={toSystem()}>
      <p>{t("accounts.external", { url })}</p>
    </AdminPage>
  );
}

function OwnAccounts() {
  const accounts = useHubData<MqttAccount[]>(forAdmins("/mqtt/accounts"), { after: NONE });
  const [settings, setSettings] = useState<Settings>();
  return (
    <AdminPage title={t("accounts.title")} back={toSystem()}>
      <p>{t("accounts.about")}</p>
      {settings && (
        <NewSecret
          title={t("accounts.lines", { name: settings.username })}
          notes={settings.notes}
          text={settings.lines.join("\n")}
          onDone={() => setSettings(undefined)}
        />
      )}
      <Entries of={accounts} label={t("accounts.title")} empty={t("accounts.none")}>
        {(account) => (
          <Entry key={account.name} name={account.name} about={<About of={account} />}>
            <ActButton
              label={`${t("accounts.renew")}: ${account.name}`}
              act={async () => setSettings(await post<Settings>(`${pathOf(account.name)}/password`))}
            >
              {t("accounts.renew")}
            </ActButton>
            <Removal
              name={account.name}
              loses={t("accounts.loses")}
              act={() => remove(pathOf(account.name)).then(accounts.read)}
            />
          </Entry>
        )}
      </Entries>
      <NewAccount
        onMade={(made) => {
          setSettings(made);
          void accounts.read();
        }}
      />
      <p class="hint">{t("accounts.in_file")}</p>
    </AdminPage>
  );
}

function About({ of: { kind, base, publish, subscribe, created_at } }: { of: MqttAccount }) {
  return (
    <>
      <p>
        {t(`accounts.kind_${kind}`)}
        {base !== null && ` · ${base}/`} · {t("keys.since", { time: formatTime(created_at) })}
      </p>
      <details>
        <summary>{t("accounts.topics")}</summary>
        <p dir="ltr">
          {t("accounts.publish")}: {publish.join(", ") || "–"}
        </p>
        <p dir="ltr">
          {t("accounts.subscribe")}: {subscribe.join(", ") || "–"}
        </p>
      </details>
    </>
  );
}

function NewAccount({ onMade }: { onMade: (made: Settings) => void }) {
  const [kind, setKind] = useState<Kind>("zigbee2mqtt");
  const { busy, problem, run } = useAct();

  async function make(form: HTMLFormElement): Promise<void> {
    const fields = new FormData(form);
    const text = (name: string): string => String(fields.get(name) ?? "").trim();
    const list = (name: string): string[] =>
      text(name)
        .split(/[\s,]+/)
        .filter(Boolean);
    const [base, publish, subscribe] = [text("base"), list("publish"), list("subscribe")];
    const body = {
      ...{ name: text("name"), kind },
      ...(base && { base }),
      ...(publish.length > 0 && { publish }),
      ...(subscribe.length > 0 && { subscribe }),
    };
    onMade(await post<Settings>("/mqtt/accounts", body));
    form.reset();
    setKind("zigbee2mqtt");
  }

  return (
    <section>
      <h2>{t("accounts.new")}</h2>
      <form
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void run(() => make(form));
        }}
      >
        <label class="field">
          {t("accounts.kind")}
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {t(`accounts.kind_${one}`)}
              </option>
            ))}
          </select>
          <span class="hint">{t(`accounts.about_${kind}`)}</span>
        </label>
        <label class="field">
          {t("accounts.name")}
          <input name="name" autocomplete="off" autocapitalize="none" required />
          <span class="hint">{t("accounts.name_hint")}</span>
        </label>
        <details open={kind === "custom"}>
          <summary>{t("accounts.more")}</summary>
          <label class="field">
            {t("accounts.base")}
            <input name="base" autocomplete="off" autocapitalize="none" />
          </label>
          {(["publish", "subscribe"] as const).map((list) => (
            <label key={list} class="field">
              {t(`accounts.${list}`)}
              <textarea name={list} rows={2} class="code" spellcheck={false} />
            </label>
          ))}
          <p class="hint">{t("accounts.patterns")}</p>
        </details>
        <Problem of={problem} />
        <div class="buttons">
          <button type="submit" class="main" disabled={busy || !mayAct("admin")}>
            {t("accounts.make")}
          </button>
        </div>
      </form>
    </section>
  );
}
