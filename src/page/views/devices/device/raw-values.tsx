// All that the hub knows of a device, as it is.

import { useState } from "preact/hooks";
import type { Device } from "../../../model/device/device.ts";
import { t } from "../../../texts/index.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";

export function RawValues({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false);
  const text = isOpen ? JSON.stringify(device, null, 2) : "";
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{t("device.raw")}</h2>
      </summary>
      {isOpen && (
        <>
          <CopyButton text={text} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <section class="scrolls" tabIndex={0} aria-label={t("device.raw")}>
            <pre class="raw" dir="ltr">
              {text}
            </pre>
          </section>
        </>
      )}
    </details>
  );
}
