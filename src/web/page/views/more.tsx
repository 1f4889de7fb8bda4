// Everything else.
import { session, setSession } from "../state/session.ts";
import { t } from "../texts/index.ts";

const HOUSE = ["scenes", "modes", "timers", "variables", "areas", "messages"] as const;

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <p>{session.value?.user.username}</p>
      <h2>{t("house.title")}</h2>
      <ul class="things">
        {HOUSE.map((place) => (
          <li key={place} class="thing">
            <a href={`/${place}`}>{t(`${place}.title`)}</a> <span class="hint">{t(`${place}.hint`)}</span>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => setSession(undefined)}>
        {t("sign_out")}
      </button>
    </>
  );
}
