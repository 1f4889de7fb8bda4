// Colours between what devices speak and `#rrggbb`.

export interface Xy {
  x: number;
  y: number;
}

/** Of the CIE 1931 colour space; the colour at full brightness. */
export function rgbOfXy({ x, y }: Xy): string {
  if (y <= 0) return "#000000";
  const [X, Y, Z] = [x / y, 1, (1 - x - y) / y];
  const linear = [
    X * 1.656492 - Y * 0.354851 - Z * 0.255038,
    -X * 0.707196 + Y * 1.655397 + Z * 0.036152,
    X * 0.051713 - Y * 0.121364 + Z * 1.01153,
  ].map((one) => Math.max(0, one));
  const most = Math.max(...linear, Number.EPSILON);
  return hex(linear.map((one) => 255 * gamma(one / most)));
}

function gamma(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** Of the CIE 1931 colour space, to four places. */
export function xyOfRgb({ r, g, b }: { r: number; g: number; b: number }): Xy {
  const linear = (channel: number): number => {
    const part = channel / 255;
    return part > 0.04045 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92;
  };
  const [red, green, blue] = [linear(r), linear(g), linear(b)];
  const X = red * 0.664511 + green * 0.154324 + blue * 0.162028;
  const Y = red * 0.283881 + green * 0.668433 + blue * 0.047685;
  const Z = red * 0.000088 + green * 0.07231 + blue * 0.986039;
  const sum = X + Y + Z;
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  // Black has no colour: that of white.
  return sum === 0 ? { x: 0.3227, y: 0.329 } : { x: round(X / sum), y: round(Y / sum) };
}

/** Hue 0–360, saturation 0–100. */
export function rgbOfHue(hue: number, saturation: number): string {
  const s = Math.min(100, Math.max(0, saturation)) / 100;
  const channel = (n: number): number => {
    const k = (n + hue / 60) % 6;
    return 255 * (1 - s * Math.max(0, Math.min(k, 4 - k, 1)));
  };
  return hex([channel(5), channel(3), channel(1)]);
}

/** Undefined where the text is no `#rrggbb`. */
export function readRgb(text: string): { r: number; g: number; b: number } | undefined {
  const digits = /^#([\da-f]{6})$/i.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const value = Number.parseInt(digits, 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
}

/** Of red, green and blue, each 0–255. */
export function hex(channels: readonly number[]): string {
  return `#${channels
    .map((one) =>
      Math.round(Math.min(255, Math.max(0, one)))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** Hue 0–360 and saturation 0–100, whole numbers. */
export function hueOfRgb({ r, g, b }: { r: number; g: number; b: number }): { hue: number; saturation: number } {
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const range = most - least;
  if (range === 0) return { hue: 0, saturation: 0 };
  const sixth = most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range;
  return { hue: Math.round(((sixth + 6) % 6) * 60), saturation: Math.round((range / most) * 100) };
}
