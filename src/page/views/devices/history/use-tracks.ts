// The recorded values that a plot shows, with those that come while it is open.

import { useEffect, useState } from "preact/hooks";
import type { Device } from "../../../model/device/device.ts";
import { LENGTHS, type Range } from "../../../model/plot/range.ts";
import type { Sample, Track } from "../../../model/plot/track.ts";
import { ownValue, readTracks } from "../../../state/house/history.ts";
import { connection } from "../../../state/hub/live.ts";

const MAX_APPENDED = 3000;

export interface Tracks {
  /** Undefined until something was read. */
  tracks: readonly Track[] | undefined;
  problem: unknown;
}

/** Reads again when it was not live for a while: what happened meanwhile is not known otherwise. */
export function useTracks(device: Device, names: readonly string[], range: Range): Tracks {
  const [tracks, setTracks] = useState<readonly Track[]>();
  const [problem, setProblem] = useState<unknown>();
  const [overflows, setOverflows] = useState(0);
  const isLive = connection.value.state === "live";
  const wanted = JSON.stringify([names, range]);

  // `wanted` stands for names and range, `overflows` reads again
  useEffect(() => {
    if (!isLive) return;
    let isGone = false;
    const to = range.fixed?.to ?? Date.now();
    const from = range.fixed?.from ?? to - LENGTHS[range.length];
    readTracks(device.id, names, { from, to }, device.attributes).then(
      (found) => {
        if (isGone) return;
        setTracks(found);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!isGone) setProblem(error);
      },
    );
    return () => {
      isGone = true;
    };
  }, [device.id, wanted, isLive, overflows]);

  useEffect(() => {
    if (!tracks || range.fixed) return;
    const next = tracks.map((track) => appended(track, device));
    if (next.every((track, index) => track === tracks[index])) return;
    setTracks(next);
    if (next.some(({ samples }) => samples.length > 2 * MAX_APPENDED)) setOverflows((count) => count + 1);
  }, [device, tracks, range.fixed]);

  return { tracks, problem };
}

/** With the device's present value, where that is newer. */
function appended(track: Track, device: Device): Track {
  const { name, samples, band } = track;
  const value = ownValue(device.attributes, name);
  const changed = Object.hasOwn(device.last_changed, name) ? Date.parse(device.last_changed[name] ?? "") : Number.NaN;
  const last = samples.at(-1);
  // Moments of changes have no milliseconds: the recorded one may be the same.
  if (value === undefined || !(changed > (last?.at ?? 0)) || JSON.stringify(last?.value) === JSON.stringify(value))
    return track;
  const sample: Sample = { at: changed, value };
  const add = (list: Sample[]): Sample[] => [...list, sample];
  return { ...track, samples: add(samples), ...(band && { band: { low: add(band.low), high: add(band.high) } }) };
}
