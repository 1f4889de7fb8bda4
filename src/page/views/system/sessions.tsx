// Who is signed in where. Administrators see everybody's sessions, others their own.

import { AdminPage, Entries, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { Removal } from "../../parts/acting/use-act.tsx";
import { remove } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

interface LoginSession {
  id: string;
  user: string;
  created_at: string | null;
  last_used_at: string;
  address: string | null;
  user_agent: string | null;
  current: boolean;
}

const NONE: string[] = [];

export function Sessions() {
  const sessions = useHubData<LoginSession[]>("/auth/sessions", { after: NONE });
  const back = allows("admin") ? toSystem() : { href: "/account", text: t("account.title") };
  return (
    <AdminPage title={t("sessions.title")} back={back} may="viewer">
      <p>{t("sessions.about")}</p>
      <Entries of={sessions} label={t("sessions.title")} empty={t("sessions.none")}>
        {(one) => (
          <Entry key={one.id} name={nameOf(one)} about={<About of={one} />}>
            {!one.current && (
              <Removal
                name={nameOf(one)}
                text={t("sessions.end")}
                loses={t("sessions.loses", { name: one.user })}
                asksName={false}
                may="viewer"
                act={() => remove(`/auth/sessions/${encodeURIComponent(one.id)}`).then(sessions.read)}
              />
            )}
          </Entry>
        )}
      </Entries>
    </AdminPage>
  );
}

function About({ of: { last_used_at, address, user_agent, current } }: { of: LoginSession }) {
  return (
    <>
      <p>
        {current ? t("sessions.this") : t("sessions.used")} {!current && <Moment at={last_used_at} />}
        {address !== null && ` · ${address}`}
      </p>
      {user_agent !== null && user_agent !== "" && <p dir="auto">{user_agent}</p>}
    </>
  );
}

const BROWSERS = [
  ["Firefox", /Firefox\//],
  ["Edge", /Edg\//],
  ["Chrome", /Chrome\//],
  ["Safari", /Safari\//],
] as const;
const MACHINES = /Android|iPhone|iPad|Windows|Macintosh|Linux/;

/** `anna · Firefox, Android`, as far as the browser says. */
function nameOf({ user, user_agent: agent }: LoginSession): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent ?? ""))?.[0];
  const machine = MACHINES.exec(agent ?? "")?.[0].replace("Macintosh", "Mac");
  const where = [browser, machine].filter(Boolean).join(", ");
  return where === "" ? user : `${user} · ${where}`;
}
