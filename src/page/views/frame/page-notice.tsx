// What there is to say about the page itself: a newer one, or a part of it that is missing.
import { isPartMissing } from "../../state/hub/parts.ts";
import { isOutdated, reload } from "../../state/hub/version.ts";
import { t } from "../../texts/index.ts";

export function PageNotice() {
  if (!isOutdated.value && !isPartMissing.value) return null;
  return (
    <div class="page-notice" role="status">
      <p>{t(isOutdated.value ? "page.outdated" : "page.part_missing")}</p>
      <button type="button" onClick={reload}>
        {t("page.reload")}
      </button>
    </div>
  );
}
