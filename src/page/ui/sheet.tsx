// A dialog that rises over a view. Its address opens and closes it, so that "back" does as well.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../texts/index.ts";
import { Icon } from "./icon.tsx";

/** `closed`: the address without it. */
export function Sheet({ title, closed, children }: { title: string; closed: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { route } = useLocation();
  const close = (): void => route(closed, true);

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key is the dialog's own
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="sheet-inside">
        <header>
          <h2 dir="auto">{title}</h2>
          <button type="button" class="bare" aria-label={t("sheet.close")} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
