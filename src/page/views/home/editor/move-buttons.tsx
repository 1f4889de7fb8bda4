// One place up or down, for those who do not drag. The focus stays on the button.
import { t } from "../../../texts/index.ts";
import { Icon } from "../../../ui/icon.tsx";

export interface MoveButtonsProps {
  name: string;
  isFirst?: boolean | undefined;
  isLast?: boolean | undefined;
  onMove: (by: number) => void;
}

export function MoveButtons({ name, isFirst, isLast, onMove }: MoveButtonsProps) {
  function press(event: MouseEvent, by: number): void {
    const button = event.currentTarget as HTMLElement;
    onMove(by);
    // An element that is moved loses the focus, and one that can go no further cannot have it.
    requestAnimationFrame(() => {
      const other = by < 0 ? button.nextElementSibling : button.previousElementSibling;
      (button.matches(":disabled") ? (other as HTMLElement) : button).focus();
    });
  }
  return (
    <>
      <button
        type="button"
        class="bare"
        aria-label={t("edit.up", { name })}
        disabled={isFirst === true}
        onClick={(event) => press(event, -1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="bare"
        aria-label={t("edit.down", { name })}
        disabled={isLast === true}
        onClick={(event) => press(event, 1)}
      >
        <Icon name="down" />
      </button>
    </>
  );
}
