// Reordering of a list by dragging its handles. The order under the finger is shown at once and given away at the end.
import { useSignal } from "@preact/signals";

export interface Reorder {
  /** As it would be if the finger were lifted now. */
  order: readonly string[];
  /** What is dragged. */
  dragged: string | undefined;
  handle: (key: string) => {
    onPointerDown: (event: PointerEvent) => void;
    onPointerMove: (event: PointerEvent) => void;
    onPointerUp: () => void;
    onPointerCancel: () => void;
  };
}

/** `list`: the `data-list` of its elements, each of which has its key as `data-key`. */
export function useReorder(list: string, keys: readonly string[], onOrder: (order: string[]) => void): Reorder {
  const dragged = useSignal<string | undefined>(undefined);
  const order = useSignal<readonly string[] | undefined>(undefined);

  function over(event: PointerEvent): string | undefined {
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-key]");
    return under?.dataset.list === list ? under.dataset.key : undefined;
  }

  return {
    order: order.value ?? keys,
    dragged: dragged.value,
    handle: (key) => ({
      onPointerDown(event) {
        event.preventDefault();
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        dragged.value = key;
        order.value = keys;
      },
      onPointerMove(event) {
        if (dragged.peek() !== key) return;
        const target = over(event);
        const now = order.peek() ?? keys;
        if (target !== undefined && target !== key && now.includes(target)) order.value = movedTo(now, key, target);
      },
      onPointerUp() {
        const next = order.peek();
        if (dragged.peek() === key && next && next !== keys) onOrder([...next]);
        dragged.value = undefined;
        order.value = undefined;
      },
      onPointerCancel() {
        dragged.value = undefined;
        order.value = undefined;
      },
    }),
  };
}

/** `key` in the place of `target`. */
function movedTo(list: readonly string[], key: string, target: string): string[] {
  const at = list.indexOf(target);
  const without = list.filter((one) => one !== key);
  without.splice(at, 0, key);
  return without;
}

/** One place up (-1) or down (1). */
export function movedBy(list: readonly string[], key: string, by: number): string[] {
  const target = list[list.indexOf(key) + by];
  return target === undefined ? [...list] : movedTo(list, key, target);
}
