// After signing in with the printed password: asks for another. It can be put off; the steps of setting up ask again.

import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { PasswordForm } from "../../parts/acting/password-form.tsx";
import { type Health, isUp } from "../../parts/config/restart-hub.tsx";
import { get } from "../../state/hub/api.ts";
import { printedPassword, restored, restoring } from "../../state/hub/first-minutes.ts";
import { allows, session, setSession } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

export function FirstPassword() {
  const { path, route } = useLocation();
  function goOn(): void {
    printedPassword.value = undefined;
    if (path === "/") route("/welcome", true);
  }
  return (
    <main class="sign-in">
      <h1>{t("password.title")}</h1>
      <p>{t("password.why")}</p>
      <PasswordForm known={printedPassword.value} onDone={goOn} onLater={goOn} />
      {allows("admin") && (
        <p>
          <a href="/welcome?step=restore" onClick={() => (printedPassword.value = undefined)}>
            {t("welcome.restore")}
          </a>
        </p>
      )}
    </main>
  );
}

// While the hub restarts with a restored house: waits until it answers, then leads to signing in with an account of that house.
const ASK_MS = 1000;
const SLOW_MS = 60_000;

type Waiting = { state: "working" | "slow" } | { state: "failed"; why: string };

interface LastRestore {
  ok: boolean | null;
  error?: string | null;
}

export function FirstRestore() {
  const { route } = useLocation();
  const [waiting, setWaiting] = useState<Waiting>({ state: "working" });
  useEffect(() => {
    const since = restoring.value ?? Date.now();
    const timer = setInterval(async function ask() {
      const isUp = await isRestarted(since);
      if (isUp) {
        clearInterval(timer);
        const why = await failure();
        if (why !== undefined) return setWaiting({ state: "failed", why });
        route("/", true);
        finish();
      } else if (Date.now() - since > SLOW_MS) setWaiting({ state: "slow" });
    }, ASK_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <main class="sign-in">
      <h1>{t(waiting.state === "failed" ? "restore.failed" : "restore.working")}</h1>
      {waiting.state === "failed" ? (
        <>
          <p class="problem" role="alert">
            {waiting.why}
          </p>
          <button type="button" class="main" onClick={() => (restoring.value = undefined)}>
            {t("welcome.back")}
          </button>
        </>
      ) : (
        <>
          <p role="status">{t(waiting.state === "slow" ? "restore.slow" : "restore.working_why")}</p>
          <progress aria-label={t("restore.working")} />
        </>
      )}
    </main>
  );
}

/** Whether the hub that answers has started after the archive was accepted. */
async function isRestarted(since: number): Promise<boolean> {
  try {
    const health = await get<Health>("/health");
    return isUp(health) && health.uptime_secs * 1000 <= Date.now() - since;
  } catch {
    return false;
  }
}

/** A hub that has gone back to the old house takes the old token, and says why; a restored one may take it too. */
async function failure(): Promise<string | undefined> {
  if (!session.value) return undefined;
  try {
    const { last_restore: last } = await get<{ last_restore: LastRestore | null }>("/system/status");
    return last?.ok === false ? (last.error ?? "") : undefined;
  } catch {
    return undefined;
  }
}

function finish(): void {
  setSession(undefined);
  restored.value = true;
  restoring.value = undefined;
}
