// A lamp's colour: some to touch, and hue and saturation to drag.
import { useSignal } from "@preact/signals";
import { t } from "../../../texts/index.ts";
import { Slider } from "../../../ui/slider.tsx";

const SWATCHES = ["#ff3b30", "#ff9500", "#ffd60a", "#34c759", "#00c7be", "#0a84ff", "#bf5af2", "#ff2d95"];

export interface ColourPickerProps {
  value: string | undefined;
  disabled: boolean;
  onSet: (value: string) => void;
}

export function ColourPicker({ value, disabled, onSet }: ColourPickerProps) {
  const { hue, saturation } = hueOf(value ?? "#ffffff");
  const moved = useSignal<string | undefined>(undefined);
  const shown = moved.value ?? value;
  const preview = (next: string | undefined): void => {
    moved.value = next;
  };
  return (
    <fieldset class="colour">
      <legend>{t("range.colour")}</legend>
      <div class="swatches">
        {SWATCHES.map((colour) => (
          <button
            key={colour}
            type="button"
            style={{ "--swatch": colour }}
            aria-label={t("colour.swatch", { hue: String(Math.round(hueOf(colour).hue)) })}
            aria-pressed={shown === colour}
            disabled={disabled}
            onClick={() => onSet(colour)}
          />
        ))}
      </div>
      <Slider
        label={t("colour.hue")}
        {...{ min: 0, max: 360, step: 1, disabled }}
        value={Math.round(hue)}
        text={(degrees) => `${degrees}°`}
        look="hue"
        onMove={(next) => preview(next === undefined ? undefined : hexOf(next, saturation || 1))}
        onSet={(next) => onSet(hexOf(next, saturation || 1))}
      />
      <div style={{ "--swatch": hexOf(hue, 1) }}>
        <Slider
          label={t("colour.saturation")}
          {...{ min: 0, max: 100, step: 1, disabled }}
          value={Math.round(saturation * 100)}
          text={(percent) => `${percent} %`}
          look="saturation"
          onMove={(next) => preview(next === undefined ? undefined : hexOf(hue, next / 100))}
          onSet={(next) => onSet(hexOf(hue, next / 100))}
        />
      </div>
      <p class="preview" style={{ "--swatch": shown ?? "#ffffff" }} aria-hidden="true" />
    </fieldset>
  );
}

/** Of a colour at its brightest: how bright the lamp is, is another control's. */
function hueOf(hex: string): { hue: number; saturation: number } {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  if (r === undefined || g === undefined || b === undefined || Number.isNaN(r + g + b))
    return { hue: 0, saturation: 0 };
  const most = Math.max(r, g, b);
  const spread = most - Math.min(r, g, b);
  if (spread === 0) return { hue: 0, saturation: 0 };
  const sixth = most === r ? ((g - b) / spread + 6) % 6 : most === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  return { hue: sixth * 60, saturation: spread / most };
}

function hexOf(hue: number, saturation: number): string {
  const channel = (offset: number): string => {
    const k = (offset + hue / 60) % 6;
    const level = 1 - saturation * Math.max(0, Math.min(k, 4 - k, 1));
    return Math.round(level * 255)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(5)}${channel(3)}${channel(1)}`;
}
