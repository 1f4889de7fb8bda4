// The bridge a device is reached through, and what is reached through it.

import { computed } from "@preact/signals";
import type { Device } from "../../../model/device/device.ts";
import { stateInWords } from "../../../model/device/kinds.ts";
import { deviceList } from "../../../state/house/devices.ts";
import { t } from "../../../texts/index.ts";

const childrenOf = computed(() => Map.groupBy(deviceList.value, ({ parent_device_id: parent }) => parent));
const MAX_OPEN = 12;

export function Family({ device }: { device: Device }) {
  const { parent_device_id: parentId } = device;
  const parent = deviceList.value.find(({ id }) => id === parentId);
  const children = (childrenOf.value.get(device.id) ?? []).filter(({ id }) => id !== device.id);
  if (parentId === null && children.length === 0) return null;
  return (
    <section class="card" aria-labelledby="family">
      <h2 id="family">{t("device.family")}</h2>
      {parentId !== null && (
        <p>
          {t("device.parent")} {parent ? <Link to={parent} /> : <span dir="auto">{parentId}</span>}
        </p>
      )}
      {children.length > 0 && (
        <details open={children.length <= MAX_OPEN}>
          <summary>{t("device.children", { count: children.length })}</summary>
          <ul class="plain">
            {children.map((child) => (
              <li key={child.id}>
                <Link to={child} />{" "}
                <span class="hint">
                  {child.available ? stateInWords(child, child.attributes) : t("device.offline")}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Link({ to: { id, name } }: { to: Device }) {
  return (
    <a href={`/devices/${encodeURIComponent(id)}`} dir="auto">
      {name}
    </a>
  );
}
