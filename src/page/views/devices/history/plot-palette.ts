// The colours of a plot. A canvas knows no variables: they are read from the page each time its scheme changes.
import { useEffect, useState } from "preact/hooks";

export interface Palette {
  text: string;
  quiet: string;
  line: string;
  surface: string;
  series: readonly string[];
  /** The same, see-through. */
  fills: readonly string[];
}

export const SERIES_COLORS = 6;
export const colorVariable = (index: number): string => `var(--series-${(index % SERIES_COLORS) + 1})`;

export function usePalette(): Palette | undefined {
  const [palette, setPalette] = useState<Palette>();
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const readAgain = () => setPalette(read());
    readAgain();
    dark.addEventListener("change", readAgain);
    return () => dark.removeEventListener("change", readAgain);
  }, []);
  return palette;
}

function read(): Palette {
  const probe = document.createElement("i");
  document.body.append(probe);
  const resolved = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const palette = {
    text: resolved("var(--text)"),
    quiet: resolved("var(--quiet)"),
    line: resolved("var(--line)"),
    surface: resolved("var(--raised)"),
    series: Array.from({ length: SERIES_COLORS }, (_, index) => resolved(colorVariable(index))),
    fills: Array.from({ length: SERIES_COLORS }, (_, index) =>
      resolved(`color-mix(in srgb, ${colorVariable(index)} 18%, transparent)`),
    ),
  };
  probe.remove();
  return palette;
}
