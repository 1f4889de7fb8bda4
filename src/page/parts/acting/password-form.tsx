// Another password in the place of the present one.
import { useState } from "preact/hooks";
import { post } from "../../state/hub/api.ts";
import { signIn } from "../../state/hub/first-minutes.ts";
import { person } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";
import { useAct } from "./use-act.tsx";

interface Props {
  /** The present password, where it was typed just now. */
  known?: string | undefined;
  onDone: () => void;
  onLater?: (() => void) | undefined;
}

export function PasswordForm({ known, onDone, onLater }: Props) {
  const { locked, problem, run } = useAct();
  const [isShown, setShown] = useState(false);
  const [isSame, setSame] = useState(false);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const current = known ?? String(fields.get("current"));
    const next = String(fields.get("next"));
    setSame(next === current);
    if (next !== current && (await run(() => changePassword(current, next)))) onDone();
  }

  return (
    <form class="setup-form" onSubmit={submit}>
      <input type="text" hidden name="username" autocomplete="username" value={person.value?.username ?? ""} readOnly />
      {known === undefined && (
        <label>
          {t("password.current")}
          <input name="current" type="password" autocomplete="current-password" required />
        </label>
      )}
      <label>
        {t("password.new")}
        <input
          name="next"
          {...(isShown ? { type: "text" } : { type: "password" })}
          autocomplete="new-password"
          minLength={8}
          required
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.currentTarget.checked)} />
        {t("password.show")}
      </label>
      <Problem of={problem} />
      {isSame && (
        <p class="problem" role="alert">
          {t("password.same")}
        </p>
      )}
      <p class="buttons">
        <button type="submit" class="main" disabled={locked}>
          {t("password.submit")}
        </button>
        {onLater && (
          <button type="button" disabled={locked} onClick={onLater}>
            {t("password.later")}
          </button>
        )}
      </p>
    </form>
  );
}

/** Ends all logins of this user: signs in anew. */
async function changePassword(current: string, next: string): Promise<void> {
  const username = person.value?.username ?? "";
  await post("/auth/change-password", { current_password: current, new_password: next });
  await signIn(username, next);
}
