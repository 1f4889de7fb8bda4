// Opens the search, from everywhere: a touch, or the key `/`.

import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";

export function SearchLink() {
  const { route } = useLocation();
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      route("/search");
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [route]);
  return (
    <a class="search-link" href="/search" aria-keyshortcuts="/">
      <Icon name="search" />
      <span>{t("search.title")}</span>
    </a>
  );
}

/** The editor of rules is in a shadow root: only the path says what the key is for. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
