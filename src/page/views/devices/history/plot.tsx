// Lines of one unit over time. uPlot comes with the first plot that is opened.

import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { drawn } from "../../../model/plot/plot-data.ts";
import type { Track, Window } from "../../../model/plot/track.ts";
import { type LineStyle, plotOptions } from "./plot-options.ts";
import { SERIES_COLORS, usePalette } from "./plot-palette.ts";

export interface PlotProps {
  tracks: readonly Track[];
  /** Of each track: its name, and the index of its colour. */
  labels: readonly { label: string; color: number }[];
  window: Window;
  outages: readonly Window[];
  height: number;
}

const DASHES = [undefined, [8, 4], [2, 3]];

export function Plot({ tracks, labels, window, outages, height }: PlotProps) {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const palette = usePalette();
  const Library = useLibrary();
  const width = useWidth(root);
  const styles = tracks.map(({ band }, index): LineStyle => {
    const { label = "", color = 0 } = labels[index] ?? {};
    const dash = DASHES[Math.floor(color / SERIES_COLORS) % DASHES.length];
    const at = color % SERIES_COLORS;
    return {
      ...{ label, dash, hasBand: band !== undefined },
      ...{ color: palette?.series[at] ?? "", fill: palette?.fills[at] ?? "" },
    };
  });
  const look = JSON.stringify(styles);

  // `look` stands for the styles
  useEffect(() => {
    if (!Library || !palette || !root.current || width === 0) return;
    const options = plotOptions(Library, styles, { palette, size: { width, height } });
    const made = new Library(options, [[], ...styles.flatMap(({ hasBand }) => (hasBand ? [[], [], []] : [[]]))]);
    root.current.append(made.root);
    plot.current = made;
    return () => {
      plot.current = undefined;
      made.destroy();
    };
  }, [Library, palette, look, width, height]);

  // Whenever it is drawn anew: data is what changes most.
  useEffect(() => {
    const { times, lines } = drawn(tracks, window, outages);
    const all = lines.flatMap(({ values, low, high }) => (low && high ? [values, low, high] : [values]));
    plot.current?.batch(() => {
      plot.current?.setData([times, ...all], false);
      plot.current?.setScale("x", { min: window.from / 1000, max: window.to / 1000 });
    });
  });

  return <div class="plot" ref={root} style={{ height: `${height}px` }} aria-hidden="true" />;
}

function useLibrary(): typeof uPlot | undefined {
  const [library, setLibrary] = useState<{ Plot: typeof uPlot }>();
  useEffect(() => {
    let isGone = false;
    void import("uplot").then(({ default: Plot }) => {
      if (!isGone) setLibrary({ Plot });
    });
    return () => {
      isGone = true;
    };
  }, []);
  return library?.Plot;
}

function useWidth(root: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}
