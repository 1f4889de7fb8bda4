// The people whom messages reach: over what, whether they may be disturbed now, and how much is held back for them.

import { Problem } from "../../parts/acting/problem.tsx";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

interface Person {
  name: string;
  channels: string[];
  groups: string[];
  quiet: boolean;
  quiet_until: string | null;
  /** False where none of the modes is on in which the person is notified. */
  asked: boolean;
  home: boolean | null;
  held: number;
}

const AFTER = ["notification_", "mode_changed", "rule_fired", "system_started"] as const;
const EVERY_MS = 30_000;

/** Nothing where hub.toml names nobody. */
export function People() {
  const { value, problem } = useHubData<Person[]>("/notify/people", { after: AFTER, everyMs: EVERY_MS });
  if (!value || value.length === 0) return <Problem of={problem} />;
  return (
    <>
      <h2>{t("people.title")}</h2>
      <ul class="things">
        {value.map((person) => (
          <PersonRow key={person.name} person={person} />
        ))}
      </ul>
    </>
  );
}

function PersonRow({ person }: { person: Person }) {
  const { name, channels, groups, quiet, quiet_until: until, asked, home, held } = person;
  return (
    <li class="thing">
      <div class="about">
        <p>
          <strong dir="auto">{name}</strong>
          {home !== null && ` · ${t(home ? "people.home" : "people.away")}`}
        </p>
        <p class="hint" dir="auto">
          {t("people.channels", { names: channels.join(", ") })}
          {groups.length > 0 && ` · ${t("people.groups", { names: groups.join(", ") })}`}
        </p>
        {quiet && (
          <p class="look">
            {t("people.quiet")} {until !== null && <Moment at={until} />}
          </p>
        )}
        {!asked && <p class="look">{t("people.not_asked")}</p>}
        {held > 0 && <p class="look">{t("people.held", { count: held })}</p>}
      </div>
    </li>
  );
}
