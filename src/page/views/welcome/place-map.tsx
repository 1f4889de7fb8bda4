// A small map of the world without a picture: its cities as dots draw the continents.

import { CITIES } from "../../model/place/cities.ts";
import { t } from "../../texts/index.ts";

export interface Place {
  latitude: number;
  longitude: number;
}

const NORTH = 75;
const SOUTH = -57;
const STEP_DEGREES = 0.5;
const MOVES: Readonly<Record<string, Place>> = {
  ArrowUp: { latitude: STEP_DEGREES, longitude: 0 },
  ArrowDown: { latitude: -STEP_DEGREES, longitude: 0 },
  ArrowLeft: { latitude: 0, longitude: -STEP_DEGREES },
  ArrowRight: { latitude: 0, longitude: STEP_DEGREES },
};
const DOTS = CITIES.map(({ latitude, longitude }) => `M${longitude} ${-latitude}h0`).join("");
const GRID = [
  ...[-150, -120, -90, -60, -30, 0, 30, 60, 90, 120, 150].map((x) => `M${x} ${-NORTH}V${-SOUTH}`),
  ...[60, 30, 0, -30].map((y) => `M-180 ${-y}H180`),
].join("");

export function PlaceMap({ place, onPick }: { place: Place | undefined; onPick: (place: Place) => void }) {
  function tap(event: MouseEvent): void {
    // A key that presses the button is at no place.
    if (event.detail === 0) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const longitude = ((event.clientX - box.left) / box.width) * 360 - 180;
    const latitude = NORTH - ((event.clientY - box.top) / box.height) * (NORTH - SOUTH);
    onPick(rounded({ latitude, longitude }));
  }
  function move(event: KeyboardEvent): void {
    const by = MOVES[event.key];
    if (!by) return;
    event.preventDefault();
    const { latitude, longitude } = place ?? { latitude: 0, longitude: 0 };
    onPick(rounded({ latitude: latitude + by.latitude, longitude: longitude + by.longitude }));
  }
  return (
    <button type="button" class="city-map" aria-label={t("place.map")} onClick={tap} onKeyDown={move}>
      <svg viewBox={`-180 ${-NORTH} 360 ${NORTH - SOUTH}`} aria-hidden="true">
        <path class="grid" d={GRID} />
        <path class="dots" d={DOTS} />
        {place && (
          <g class="here">
            <circle cx={place.longitude} cy={-place.latitude} r="5" />
            <path d={`M${place.longitude} ${-place.latitude}h0`} />
          </g>
        )}
      </svg>
    </button>
  );
}

function rounded({ latitude, longitude }: Place): Place {
  const limit = (value: number, most: number): number => Math.round(Math.min(most, Math.max(-most, value)) * 10) / 10;
  return { latitude: limit(latitude, 90), longitude: limit(longitude, 180) };
}
