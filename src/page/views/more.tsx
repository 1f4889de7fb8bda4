// Everything that has no place in the bar.

import { get, remove } from "../state/hub/api.ts";
import { allows, beginLeaving, person, type Role, setSession } from "../state/hub/session.ts";
import { type TextKey, t } from "../texts/index.ts";
import { toast } from "../ui/toast.ts";

interface Place {
  path: string;
  /** No view of this page. */
  isElsewhere?: boolean;
  title: TextKey;
  hint?: TextKey;
  role?: Role;
}

const PLACES: readonly Place[] = [
  { path: "/welcome", title: "welcome.title", role: "admin" },
  { path: "/connect", title: "connect.title", role: "admin" },
  { path: "/devices", title: "devices.title", hint: "devices.hint" },
  { path: "/inbox", title: "inbox.title", hint: "inbox.hint" },
  { path: "/areas", title: "areas.title", hint: "areas.hint" },
  { path: "/blueprints", title: "blueprints.title", hint: "blueprints.hint" },
  { path: "/groups", title: "groups.title", hint: "groups.hint" },
  { path: "/scenes", title: "scenes.title", hint: "scenes.hint" },
  { path: "/modes", title: "modes.title", hint: "modes.hint" },
  { path: "/timers", title: "timers.title", hint: "timers.hint" },
  { path: "/schedules", title: "schedules.title", hint: "schedules.hint" },
  { path: "/calendars", title: "calendars.title", hint: "calendars.hint" },
  { path: "/variables", title: "variables.title", hint: "variables.hint" },
  { path: "/messages", title: "messages.title", hint: "messages.hint" },
  { path: "/plugins", title: "plugins.title" },
  { path: "/plugins/install", title: "upload.title", hint: "upload.hint", role: "admin" },
  { path: "/system", title: "system.title" },
  { path: "/upgrade", title: "upload.hub_title", hint: "upload.hub_hint", role: "admin" },
  { path: "/account", title: "account.title" },
  { path: "/help", title: "help.title", hint: "help.hint", isElsewhere: true },
];

async function leave(): Promise<void> {
  if (!(await signOut())) toast(t("sign_out.not_told"));
}

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <ul class="things">
        {PLACES.filter(({ role = "viewer" }) => allows(role)).map(({ path, title, hint, isElsewhere }) => (
          <li key={path} class="thing">
            <a href={path} target={isElsewhere ? "_blank" : undefined}>
              {t(title)}
            </a>{" "}
            {hint && <span class="hint">{t(hint)}</span>}
          </li>
        ))}
      </ul>
      <p class="hint">{person.value?.username}</p>
      <button type="button" onClick={leave}>
        {t("sign_out")}
      </button>
    </>
  );
}

/** False where the hub could not be reached: then the session lives there until it is ended or expires. */
async function signOut(): Promise<boolean> {
  beginLeaving();
  const isEnded = await endOwn().catch(() => false);
  setSession(undefined);
  clear();
  return isEnded;
}

async function endOwn(): Promise<boolean> {
  const sessions = await get<{ id: string; current: boolean }[]>("/auth/sessions");
  const own = sessions.find(({ current }) => current);
  if (own) await remove(`/auth/sessions/${encodeURIComponent(own.id)}`);
  return own !== undefined;
}

/** Of the browser rather than of who is signed in: stays after signing out. */
const STAYS = ["hub.language"];

/** Forgets everything but what is the browser's own. */
function clear(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith("hub.") && !STAYS.includes(key)) localStorage.removeItem(key);
    sessionStorage.clear();
  } catch {}
}
