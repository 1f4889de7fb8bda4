// Setting up: a password in the place of the printed one.

import { PasswordForm } from "../../parts/acting/password-form.tsx";
import { progress } from "../../state/house/setup.ts";
import { person } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import type { StepProps } from "./setup-step.ts";

export function PasswordStep({ onDone }: StepProps) {
  if (progress.value?.password) return <p>{t("password.is_own", { user: person.value?.username ?? "" })}</p>;
  return (
    <>
      <p>{t("password.why")}</p>
      <PasswordForm onDone={onDone} />
    </>
  );
}
