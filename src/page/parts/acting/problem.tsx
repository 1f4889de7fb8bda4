// What went wrong, where it did, and what to do.
import { ApiError } from "../../state/hub/api.ts";
import { refusal, t, textFor } from "../../texts/index.ts";

export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unknown");
  return textFor(`error.${error.code}`) ?? (error.message ? refusal(error.code, error.message) : t("error.unknown"));
}

export function Problem({ of: error }: { of: unknown }) {
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert">
      {problemText(error)}
    </p>
  );
}
