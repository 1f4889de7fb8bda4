// The wait for the first device of a new account or plugin: shows them as they come.

import { useEffect, useState } from "preact/hooks";
import { stateInWords } from "../../model/device/kinds.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { deviceList } from "../../state/house/devices.ts";
import { get, post } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";
import { t } from "../../texts/index.ts";

interface Announced {
  id: string;
  account: string;
  name: string | null;
  model: string | null;
  state: "accepted" | "waiting" | "ignored" | "broken";
  device_id: string | null;
  problem: string | null;
}

/** Announcements have no event of their own. */
const ASK_MS = 2000;

export function FirstAnnounced({ account }: { account: string }) {
  const { locked, problem, run } = useAct();
  const [found, setFound] = useState<readonly Announced[]>([]);
  const isLive = connection.value.state === "live";
  const read = async (): Promise<void> =>
    setFound((await get<Announced[]>("/discovery")).filter((one) => one.account === account));
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => read().catch(() => {}), ASK_MS);
    return () => clearInterval(timer);
  }, [account, isLive]);
  const accept = (id: string): Promise<boolean> =>
    run(async () => {
      await post(`/discovery/${encodeURIComponent(id)}/accept`);
      await read();
    });

  return (
    <>
      <Waiting count={found.length} />
      <ul class="setup-list">
        {found.map(({ id, name, model, state, device_id, problem: why }) => (
          <li key={id}>
            <Arrived id={device_id} name={name ?? id} />
            <small dir="auto">{why ?? model}</small>
            {state === "waiting" && (
              <button type="button" disabled={locked} onClick={() => void accept(id)}>
                {t("connect.accept")}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem of={problem} />
    </>
  );
}

export function FirstDevices({ pluginId }: { pluginId: string }) {
  const found = deviceList.value.filter(({ plugin_id }) => plugin_id === pluginId);
  return (
    <>
      <Waiting count={found.length} />
      <ul class="setup-list">
        {found.map((device) => (
          <li key={device.id}>
            <Arrived id={device.id} name={device.name} />
            <small>{stateInWords(device, device.attributes)}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Waiting({ count }: { count: number }) {
  return (
    <p role="status" class={count === 0 ? "setup-waiting" : undefined}>
      {t(count === 0 ? "connect.waiting" : "connect.arrived")}
    </p>
  );
}

function Arrived({ id, name }: { id: string | null; name: string }) {
  if (id === null) return <span dir="auto">{name}</span>;
  return (
    <a href={`/devices/${encodeURIComponent(id)}`} dir="auto">
      {name}
    </a>
  );
}
