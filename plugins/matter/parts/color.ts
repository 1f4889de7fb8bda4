// Colours as the hub says them (`#rrggbb`) and as Matter does: hue and saturation of 0 to 254, or x and y of 0 to 65279. How bright the
// light is, is said elsewhere.
import { hsvToRgb, hsvToXy, rgbToHsv, xyToHsv } from "@matter/main/behaviors/color-control";

const HIGHEST = 254;
const XY_SCALE = 65_536;
const HIGHEST_XY = 65_279;

export function toHueAndSaturation(rgb: string): { currentHue: number; currentSaturation: number } {
  const [hue, saturation] = hsvOf(rgb);
  return { currentHue: Math.round((hue / 360) * HIGHEST), currentSaturation: Math.round(saturation * HIGHEST) };
}

export function toXy(rgb: string): { currentX: number; currentY: number } {
  const [hue, saturation] = hsvOf(rgb);
  const [x, y] = hsvToXy(hue, saturation);
  return {
    currentX: Math.min(HIGHEST_XY, Math.round(x * XY_SCALE)),
    currentY: Math.min(HIGHEST_XY, Math.round(y * XY_SCALE)),
  };
}

export function fromHueAndSaturation(hue: number, saturation: number): string {
  return hexOf((hue / HIGHEST) * 360, saturation / HIGHEST);
}

export function fromXy(x: number, y: number): string {
  return hexOf(...xyToHsv(x / XY_SCALE, y / XY_SCALE));
}

/** Hue of 0 to 360, saturation of 0 to 1. */
function hsvOf(rgb: string): [number, number] {
  const bits = Number.parseInt(rgb.slice(1), 16);
  const [red, green, blue] = [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255].map((part) => part / 255);
  const [hue, saturation] = rgbToHsv(red ?? 0, green ?? 0, blue ?? 0);
  return [hue, saturation];
}

function hexOf(hue: number, saturation: number): string {
  const parts = hsvToRgb(hue, saturation, 1);
  return `#${parts
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
