// The start: what needs attention, favourites, scenes and the areas with their devices.

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { here, noteAddress } from "../../browser/start-address.ts";
import { laterWithTexts } from "../../parts/acting/later.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { Tile } from "../../parts/devices/tile.tsx";
import { layoutProblem, startLayout } from "../../state/home/layout.ts";
import { type Item, type Section, sections } from "../../state/home/start.ts";
import { devices } from "../../state/house/devices.ts";
import { isRead } from "../../state/house/house.ts";
import { areas, guests, scenes, variables } from "../../state/house/lists.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { SceneTile, VariableTile } from "./other-tiles.tsx";
import { titleOf } from "./section-title.ts";

const Attention = laterWithTexts(() => import("./attention.tsx").then(({ Attention }) => Attention));
const EmptyHouse = laterWithTexts(() => import("./empty-house.tsx").then(({ loadEmptyHouse }) => loadEmptyHouse()));
const DeviceSheet = laterWithTexts(() => import("./sheet/device-sheet.tsx").then(({ DeviceSheet }) => DeviceSheet));
const HomeEditor = laterWithTexts(() =>
  import("./editor/home-editor.tsx").then(({ loadHomeEditor }) => loadHomeEditor()),
);
const Wall = laterWithTexts(() => import("./wall.tsx").then(({ loadWall }) => loadWall()));

const [AT_ONCE, MORE] = [24, 16];
const IDLE_MS = 500;

function createStart() {
  const lists = [areas, scenes, variables, guests];
  let isStarted = false;
  /** Tiles beyond this one still sleep: a thousand at once would freeze the page. */
  const awake = signal(AT_ONCE);

  function wakeTiles(): void {
    const count = sections.value.reduce((sum, { items }) => sum + items.length, 0);
    if (awake.value < count)
      whenIdle(() => {
        awake.value += MORE;
      });
  }

  return {
    awake,
    /** What only the start needs is read when somebody first comes here; and again, as no event reports new scenes or areas. */
    start(): void {
      for (const list of lists) void (isStarted ? list.read() : list.start());
      if (isStarted) return;
      isStarted = true;
      startLayout();
      effect(wakeTiles);
    },
  };
}

const { awake, start } = createStart();

function whenIdle(work: () => void): void {
  // Safari has none.
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: IDLE_MS });
  else setTimeout(work, 30);
}

export function Home() {
  const { url, query } = useLocation();
  useEffect(start, []);
  useEffect(noteAddress, [url]);
  const isOnWall = query.wall !== undefined;
  const open = query.device;
  if (query.edit !== undefined) return <HomeEditor />;
  return (
    <>
      <h1 class="visually-hidden">{t("nav.home")}</h1>
      {isOnWall && <Wall />}
      <Attention />
      <Problem of={layoutProblem.value} />
      {isRead.value && devices.value.size === 0 && <EmptyHouse />}
      <Sections />
      {devices.value.size > 0 && (
        <p class="below">
          <a class="button" href={here({ edit: "", device: undefined })}>
            <Icon name="edit" /> {t("home.edit")}
          </a>
          <a class="button" href={here({ wall: isOnWall ? undefined : "" })}>
            {t(isOnWall ? "wall.leave" : "wall.enter")}
          </a>
        </p>
      )}
      {open !== undefined && <DeviceSheet key={open} id={open} />}
    </>
  );
}

function Sections() {
  let count = 0;
  return (
    <div class="areas">
      {sections.value.map((section) => {
        const before = count;
        count += section.items.length;
        return <TileSection key={section.id} section={section} before={before} />;
      })}
    </div>
  );
}

/** `before`: tiles above this section. */
function TileSection({ section, before }: { section: Section; before: number }) {
  const title = titleOf(section);
  const isAsked = useLocation().query.area === section.id;
  const showIfAsked = useCallback(
    (place: HTMLElement | null) => {
      if (isAsked) place?.scrollIntoView();
    },
    [isAsked],
  );
  return (
    <section class="area" aria-label={title} style={{ "--count": section.items.length }} ref={showIfAsked}>
      <h2 dir="auto">{title}</h2>
      <ul class="tiles">
        {section.items.map((item, at) => (
          <ItemTile key={item.key} item={item} isAwake={awakeAt(before + at)} />
        ))}
      </ul>
    </section>
  );
}

const stages: ReadonlySignal<boolean>[] = [];

/** One signal for all tiles that wake together. */
function awakeAt(index: number): ReadonlySignal<boolean> {
  const stage = Math.floor(index / MORE);
  stages[stage] ??= computed(() => awake.value > stage * MORE);
  return stages[stage];
}

function ItemTile({ item, isAwake }: { item: Item; isAwake: ReadonlySignal<boolean> }) {
  switch (item.kind) {
    case "device":
      return <Tile of={item.device} isAwake={isAwake} />;
    case "scene":
      return <SceneTile scene={item.scene} />;
    case "variable":
      return <VariableTile variable={item.variable} />;
  }
}
