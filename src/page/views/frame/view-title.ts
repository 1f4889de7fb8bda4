// What the window is called, and where the focus is when another view has opened: neither stays behind with the former one.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../texts/index.ts";

/** `url`: of the view. The window is called after the heading of what is in `#content`. */
export function useViewTitle(url: string): void {
  const former = useRef(url);
  const isNew = useRef(false);
  if (former.current !== url) {
    former.current = url;
    isNew.current = true;
  }
  useEffect(() => {
    const content = document.getElementById("content");
    if (!content) return;
    function follow(): void {
      const name = content?.querySelector("h1")?.textContent?.trim();
      const title = name ? `${name} – ${t("app.title")}` : t("app.title");
      if (document.title !== title) document.title = title;
      // What led here is gone with the former view.
      if (isNew.current && document.activeElement === document.body) content?.focus({ preventScroll: true });
    }
    function settle(): void {
      isNew.current = false;
    }
    follow();
    const observer = new MutationObserver(follow);
    observer.observe(content, { childList: true, subtree: true, characterData: true });
    document.addEventListener("focusin", settle);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", settle);
    };
  }, []);
}
