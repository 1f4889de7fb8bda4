// The house: its areas, each with its devices.
import type { Signal } from "@preact/signals";
import { computed } from "@preact/signals";
import { Tile } from "../components/tile.tsx";
import { type Device, devices } from "../state/house.ts";
import { t } from "../texts/index.ts";

const byArea = computed(() => {
  const areas = new Map<string, Signal<Device>[]>();
  for (const device of devices.value.values()) {
    const area = device.value.area ?? "";
    areas.set(area, [...(areas.get(area) ?? []), device]);
  }
  return [...areas].sort(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a.localeCompare(b)));
});

export function Home() {
  if (devices.value.size === 0) return <h1>{t("home.empty")}</h1>;
  return (
    <>
      <h1 class="visually-hidden">{t("nav.home")}</h1>
      {byArea.value.map(([area, inside]) => (
        <section key={area} aria-label={area || t("home.no_area")}>
          <h2 dir="auto">{area || t("home.no_area")}</h2>
          <ul class="tiles">
            {inside.map((device) => (
              <Tile key={device.peek().id} of={device} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
