// One's own account: password, language, sessions.
import { AdminPage } from "../../parts/acting/entries.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { post } from "../../state/hub/api.ts";
import { person, type Session, setSession } from "../../state/hub/session.ts";
import { LANGUAGES, language, setLanguage, t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";
import { PushSwitch } from "./push-switch.tsx";

export function Account() {
  const user = person.value;
  return (
    <AdminPage title={t("account.title")} back={{ href: "/more", text: t("nav.more") }} may="viewer">
      {user && (
        <p>
          <strong dir="auto">{user.username}</strong> · {t(`role.${user.role}`)}
        </p>
      )}
      <h2>{t("account.language")}</h2>
      <label class="field">
        <span>{t("account.language_about")}</span>
        <select value={language.value} onChange={(event) => void setLanguage(event.currentTarget.value, true)}>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {user && <PushSwitch />}
      <ChangePassword />
      <h2>{t("sessions.title")}</h2>
      <p>
        <a href="/system/sessions">{t("account.sessions")}</a>
      </p>
    </AdminPage>
  );
}

function ChangePassword() {
  const { busy, problem, run } = useAct();
  const username = person.value?.username ?? "";

  async function change(form: HTMLFormElement): Promise<void> {
    const fields = Object.fromEntries(new FormData(form)) as Record<"current_password" | "new_password", string>;
    await post("/auth/change-password", fields);
    // The old token has ended; whoever knows the new password goes on without signing in.
    setSession(await post<Session>("/auth/login", { username, password: fields.new_password }));
    toast(t("account.changed"));
    form.reset();
  }

  return (
    <section>
      <h2>{t("account.password")}</h2>
      <form
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void run(() => change(form));
        }}
      >
        <input
          class="visually-hidden"
          tabIndex={-1}
          aria-hidden="true"
          autocomplete="username"
          value={username}
          readOnly
        />
        <label class="field">
          {t("account.current")}
          <input name="current_password" type="password" autocomplete="current-password" required />
        </label>
        <label class="field">
          {t("account.new")}
          <input name="new_password" type="password" autocomplete="new-password" minLength={8} required />
          <span class="hint">{t("users.password_rule")}</span>
        </label>
        <Problem of={problem} />
        <div class="buttons">
          <button type="submit" class="main" disabled={busy || !mayAct("viewer")}>
            {t("account.change")}
          </button>
        </div>
      </form>
      <p class="hint">{t("account.ends")}</p>
    </section>
  );
}
