// Connecting over MQTT: an account, the lines to enter on the other side, and the wait for the first device.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { changeSetup, setup } from "../../state/house/setup.ts";
import { get, post } from "../../state/hub/api.ts";
import { fromHub, t } from "../../texts/index.ts";
import { FirstAnnounced, FirstDevices } from "./connect-wait.tsx";
import { ACCOUNTS, type AccountWay } from "./connect-ways.ts";
import { Pasted } from "./pasted.tsx";

interface Settings {
  username: string;
  password: string;
  lines: string[];
  notes: string[];
  /** The broker was reached from the hub's machine only. */
  wasLocal: boolean;
}

export function ConnectAccount({ way }: { way: AccountWay }) {
  const [made, setMade] = useState<Settings>();
  const { isProgram = false } = ACCOUNTS[way];
  const url = setup.value?.mqtt_external;
  if (url) return <AtOtherBroker url={url} isPlugin={way === "plugin"} />;
  return (
    <ol class="setup-three">
      <li>
        <h2>{t("connect.step_account")}</h2>
        {made ? (
          <p role="status">{t("connect.made", { name: made.username })}</p>
        ) : (
          <AccountForm way={way} onMade={setMade} />
        )}
      </li>
      <li>
        <h2 class={made ? undefined : "coming"}>{t("connect.step_lines")}</h2>
        {made && (
          <>
            {notesOf(made, isProgram).map((note) => (
              <p key={note}>{fromHub(note)}</p>
            ))}
            <Pasted lines={made.lines} />
            {!isProgram && <BrokerReach />}
          </>
        )}
      </li>
      <li>
        <h2 class={made ? undefined : "coming"}>{t("connect.step_wait")}</h2>
        {made &&
          (way === "plugin" ? <FirstDevices pluginId={made.username} /> : <FirstAnnounced account={made.username} />)}
      </li>
    </ol>
  );
}

/** Accounts are made there; everything that announces itself there is of one account here. */
function AtOtherBroker({ url, isPlugin }: { url: string; isPlugin: boolean }) {
  return (
    <ol class="setup-three">
      <li>
        <h2>{t("connect.step_account")}</h2>
        <p>{t("connect.external", { url })}</p>
      </li>
      {!isPlugin && (
        <li>
          <h2>{t("connect.step_wait")}</h2>
          <FirstAnnounced account="mqtt" />
        </li>
      )}
    </ol>
  );
}

interface FormProps {
  way: AccountWay;
  onMade: (settings: Settings) => void;
}

function AccountForm({ way, onMade }: FormProps) {
  const { locked, problem, run } = useAct();
  const { kind, name: usual, isProgram = false } = ACCOUNTS[way];
  const [name, setName] = useState(usual);
  const [isElsewhere, setElsewhere] = useState(false);
  const isLocal = setup.value?.mqtt_everywhere === false;
  const [isRenewable, setRenewable] = useState(false);
  const renewal = `/mqtt/accounts/${encodeURIComponent(name.trim())}/password`;

  const make = (path: string, body?: object): Promise<boolean> =>
    run(async function makeAndOpen() {
      let settings = await post<Settings>(path, body);
      if (isElsewhere && isLocal) {
        // A broker is opened only where there is an account; the lines for another machine come after.
        await changeSetup({ mqtt_everywhere: true });
        settings = await post<Settings>(renewal);
      }
      onMade({ ...settings, wasLocal: isLocal && !isElsewhere });
    });
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    setRenewable(false);
    void make("/mqtt/accounts", { name: name.trim(), kind }).then(async (isMade) => {
      if (!isMade) setRenewable(await exists({ name: name.trim(), kind }));
    });
  }

  return (
    <form class="setup-form" onSubmit={submit}>
      <p>{t("connect.account_why")}</p>
      <label>
        {t(way === "esphome" || way === "plugin" ? `connect.name_${way}` : "connect.name")}
        <input
          {...{ name: "name", value: name, required: true, maxLength: 64, autocapitalize: "none" }}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      {isProgram && isLocal && (
        <label class="check">
          <input
            type="checkbox"
            checked={isElsewhere}
            onChange={(event) => setElsewhere(event.currentTarget.checked)}
          />
          {t("connect.elsewhere")}
        </label>
      )}
      {isElsewhere && <p class="hint">{t("connect.opens")}</p>}
      <Problem of={problem} />
      <p class="buttons">
        <button type="submit" class="main" disabled={locked}>
          {t("connect.make")}
        </button>
        {isRenewable && (
          <button type="button" disabled={locked} onClick={() => void make(renewal)}>
            {t("connect.again")}
          </button>
        )}
      </p>
    </form>
  );
}

/** An account of that name may be of another kind: a new password would cut off what uses it. */
async function exists(wanted: { name: string; kind: string }): Promise<boolean> {
  const all = await get<{ name: string; kind: string }[]>("/mqtt/accounts").catch(() => []);
  return all.some(({ name, kind }) => name === wanted.name && kind === wanted.kind);
}

/** The first note of a broker that listens on this machine only is about that. */
function notesOf({ notes, wasLocal }: Settings, isProgram: boolean): readonly string[] {
  return wasLocal && (isProgram || setup.value?.mqtt_everywhere) ? notes.slice(1) : notes;
}

/** Whether devices in the network can reach the broker, and a touch that lets them. */
function BrokerReach() {
  const { locked, problem, run } = useAct();
  const [isOpened, setOpened] = useState(false);
  if (!setup.value) return null;
  if (setup.value.mqtt_everywhere) return isOpened ? <p role="status">{t("connect.opened")}</p> : null;
  return (
    <div class="setup-notice">
      <p>{t("connect.local")}</p>
      <Problem of={problem} />
      <p class="buttons">
        <button
          type="button"
          class="main"
          disabled={locked}
          onClick={() => void run(() => changeSetup({ mqtt_everywhere: true })).then(setOpened)}
        >
          {t("connect.open")}
        </button>
      </p>
      <p class="hint">{t("welcome.restart")}</p>
    </div>
  );
}
