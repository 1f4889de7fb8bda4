// An address without a view.
import { t } from "../texts/index.ts";

export function NotFound() {
  return (
    <>
      <h1>{t("not_found.title")}</h1>
      <p>
        <a href="/">{t("not_found.back")}</a>
      </p>
    </>
  );
}
