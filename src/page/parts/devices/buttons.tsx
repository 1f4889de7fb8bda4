// Orders as a row of buttons: a cover's, a vacuum's, a lock's that asks before it unlocks.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Control } from "../../model/device/controls.ts";
import type { IconName } from "../../model/device/icon-name.ts";
import type { Attributes } from "../../model/device/json.ts";
import { wordFor } from "../../model/device/kinds.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";

export interface ButtonsProps<C extends Control> {
  control: C;
  /** The device's name. */
  name: string;
  disabled: boolean;
  send: (command: Attributes) => void;
}

type Of<Kind extends Control["kind"]> = Extract<Control, { kind: Kind }>;

export function CoverButtons({ control: { open, stop, close }, name, disabled, send }: ButtonsProps<Of<"cover">>) {
  const rows: [IconName, string, Attributes | undefined][] = [
    ["up", t("control.open", { name }), open],
    ["stop", t("control.stop", { name }), stop],
    ["down", t("control.close", { name }), close],
  ];
  return (
    <div class="orders">
      {rows.map(
        ([icon, label, order]) =>
          order && (
            <button key={icon} type="button" aria-label={label} disabled={disabled} onClick={() => send(order)}>
              <Icon name={icon} />
            </button>
          ),
      )}
    </div>
  );
}

/** The most wanted first. */
const ORDER_ICONS: Readonly<Record<string, IconName>> = {
  start: "play",
  pause: "pause",
  return_to_base: "house",
  dock: "house",
  stop: "stop",
};

/** `most`: on a tile there is room for three. */
export function OrderButtons({
  control: { attribute, orders },
  name,
  disabled,
  send,
  most = orders.length,
}: ButtonsProps<Of<"orders">> & { most?: number }) {
  const known = Object.keys(ORDER_ICONS).filter((order) => orders.includes(order));
  const first = known.length > 0 && most < orders.length ? known : orders;
  return (
    <div class="orders">
      {first.slice(0, most).map((order) => {
        const icon = ORDER_ICONS[order];
        const word = wordFor(order);
        return (
          <button
            key={order}
            type="button"
            aria-label={`${name}: ${word}`}
            disabled={disabled}
            onClick={() => send({ [attribute]: order })}
          >
            {icon ? <Icon name={icon} /> : word}
          </button>
        );
      })}
    </div>
  );
}

const ASKED_MS = 6000;

export function LockButton({ control: { locked }, name, disabled, send }: ButtonsProps<Of<"lock">>) {
  const asked = useSignal(false);
  useEffect(() => {
    if (!asked.value) return;
    const timer = setTimeout(() => {
      asked.value = false;
    }, ASKED_MS);
    return () => clearTimeout(timer);
  }, [asked.value]);

  function press(next: boolean): void {
    const asks = !next && !asked.value;
    asked.value = asks;
    if (!asks) send({ locked: next });
  }

  // One that is neither, because it jams, takes both commands.
  const orders = locked === undefined ? [true, false] : [!locked];
  return (
    <div class="orders">
      {orders.map((next) => {
        const says = t(next ? "control.lock" : asked.value ? "control.unlock_sure" : "control.unlock");
        return (
          <button
            key={String(next)}
            type="button"
            class={asked.value && !next ? "act" : undefined}
            aria-label={`${name}: ${says}`}
            disabled={disabled}
            onClick={() => press(next)}
          >
            {says}
          </button>
        );
      })}
    </div>
  );
}
