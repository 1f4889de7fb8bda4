// The tiles of one section as rows: moved, starred, hidden, and given to guests.
import { useSignal } from "@preact/signals";
import { Problem } from "../../../parts/acting/problem.tsx";
import { orderFavourites, orderTiles, toggle, toggleGuest } from "../../../state/home/arrange.ts";
import { layout } from "../../../state/home/layout.ts";
import { FAVOURITES, type Item, isWorthIt, nameOf, type Section } from "../../../state/home/start.ts";
import { guests } from "../../../state/house/lists.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";
import { AnyIcon } from "../../../ui/more-icons.tsx";
import { MoveButtons } from "./move-buttons.tsx";
import { movedBy, useReorder } from "./use-reorder.ts";

export function HomeEditorRows({ section: { id, items } }: { section: Section }) {
  const onOrder = id === FAVOURITES ? orderFavourites : orderTiles;
  const reorder = useReorder(
    id,
    items.map(({ key }) => key),
    onOrder,
  );
  const byKey = new Map(items.map((item) => [item.key, item]));
  return (
    <ul class="rows">
      {reorder.order.map((key, at) => {
        const item = byKey.get(key);
        return (
          item && (
            <li key={key} class={reorder.dragged === key ? "row dragged" : "row"} data-list={id} data-key={key}>
              <span class="handle" aria-hidden="true" {...reorder.handle(key)} />
              <Row item={item} />
              <MoveButtons
                name={nameOf(item)}
                isFirst={at === 0}
                isLast={at === items.length - 1}
                onMove={(by) => onOrder(movedBy(reorder.order, key, by))}
              />
            </li>
          )
        );
      })}
    </ul>
  );
}

function Row({ item }: { item: Item }) {
  const { key } = item;
  const name = nameOf(item);
  const isStarred = layout.value.favourites.includes(key);
  const isHidden = layout.value.hidden.includes(key);
  return (
    <>
      <span class={isHidden ? "name away" : "name"} dir="auto">
        {name}
        {!isWorthIt(item) && <small> {t("edit.nothing")}</small>}
      </span>
      {allows("admin") && item.kind !== "variable" && <GuestButton item={item} name={name} />}
      <button
        type="button"
        class={isStarred ? "bare starred" : "bare"}
        aria-pressed={isStarred}
        aria-label={t("edit.star", { name })}
        onClick={() => toggle("favourites", key)}
      >
        <AnyIcon name="star" />
      </button>
      {item.kind !== "variable" && (
        <button
          type="button"
          class="bare"
          aria-pressed={isHidden}
          aria-label={t("edit.hide", { name })}
          onClick={() => toggle("hidden", key)}
        >
          <AnyIcon name="hide" />
        </button>
      )}
    </>
  );
}

function GuestButton({ item, name }: { item: Item; name: string }) {
  const problem = useSignal<unknown>(undefined);
  const { devices, scenes } = guests.value.value;
  const id = item.key.slice(item.key.indexOf("/") + 1);
  const isTheirs = (item.kind === "scene" ? scenes : devices).includes(id);
  return (
    <>
      <Problem of={problem.value} />
      <button
        type="button"
        class="bare guest"
        aria-pressed={isTheirs}
        aria-label={t("edit.guest", { name })}
        onClick={() => {
          problem.value = undefined;
          toggleGuest(item.key).catch((error: unknown) => {
            problem.value = error;
          });
        }}
      >
        {t("edit.guests")}
      </button>
    </>
  );
}
