// Connecting devices: Zigbee, Tasmota, Shelly, ESPHome, a plugin, or the virtual house, each in three steps.
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { readSetup } from "../../state/house/setup.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { HelpLink } from "../../ui/help-link.tsx";
import { ConnectAccount } from "./connect-account.tsx";
import { ConnectVirtual } from "./connect-virtual.tsx";
import { WAYS, type Way } from "./connect-ways.ts";

export function Connect() {
  const { query } = useLocation();
  const { problem, run } = useAct();
  const isLive = connection.value.state === "live";
  const isAdmin = allows("admin");
  // Again after a restart of the hub.
  useEffect(() => {
    if (isAdmin && isLive) void run(readSetup);
  }, [isAdmin, isLive]);
  const way = WAYS.find((one) => one === query.with);
  return (
    <div class="setup">
      <h1>{way ? t(`connect.${way}`) : t("connect.title")}</h1>
      {isAdmin ? way ? <Chosen way={way} /> : <Ways /> : <p>{t("welcome.admin_only")}</p>}
      <Problem of={problem} />
    </div>
  );
}

function Ways() {
  return (
    <>
      <p>{t("connect.why")}</p>
      <ul class="setup-ways">
        {WAYS.map((way) => (
          <li key={way}>
            <a href={`/connect?with=${way}`}>
              <strong>{t(`connect.${way}`)}</strong>
              <span>{t(`connect.${way}_hint`)}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="buttons">
        <HelpLink to="devices" about={t("connect.title")} />
        <a class="button" href="/welcome">
          {t("welcome.back")}
        </a>
      </p>
    </>
  );
}

function Chosen({ way }: { way: Way }) {
  return (
    <>
      <p>{t(`connect.${way}_hint`)}</p>
      {way === "virtual" ? <ConnectVirtual /> : <ConnectAccount key={way} way={way} />}
      <p class="buttons">
        <a class="button" href="/connect">
          {t("connect.all")}
        </a>
        <a class="button" href="/welcome">
          {t("welcome.back")}
        </a>
      </p>
    </>
  );
}
