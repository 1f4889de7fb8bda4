// Everything else.
import { toast } from "../components/toast.tsx";
import { session } from "../state/session.ts";
import { signOut } from "../state/sign-out.ts";
import { t } from "../texts/index.ts";

async function leave(): Promise<void> {
  if (!(await signOut())) toast(t("sign_out.not_told"));
}

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <p>{session.value?.user.username}</p>
      <ul class="plain">
        <li>
          <a href="/devices">{t("devices.title")}</a> <span class="hint">{t("devices.hint")}</span>
        </li>
        <li>
          <a href="/inbox">{t("inbox.title")}</a> <span class="hint">{t("inbox.hint")}</span>
        </li>
      </ul>
      <button type="button" onClick={leave}>
        {t("sign_out")}
      </button>
    </>
  );
}
