// Everything else.
import { session, setSession } from "../state/session.ts";
import { t } from "../texts/index.ts";

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <p>{session.value?.user.username}</p>
      <button type="button" onClick={() => setSession(undefined)}>
        {t("sign_out")}
      </button>
    </>
  );
}
