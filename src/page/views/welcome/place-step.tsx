// Setting up: where the house is. The town, the map, the browser or typed numbers fill in the same form.
import { useState } from "preact/hooks";
import { type City, citiesNamed, cityNear } from "../../model/place/cities.ts";
import { sunTimes } from "../../model/place/sun-times.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { changePlace, setup } from "../../state/house/setup.ts";
import { ApiError } from "../../state/hub/api.ts";
import { language, t } from "../../texts/index.ts";
import { type Place, PlaceMap } from "./place-map.tsx";
import type { StepProps } from "./setup-step.ts";

const MAX_FOUND = 6;
const LOCATE_MS = 15_000;
const ZONES = Intl.supportedValuesOf("timeZone");
const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

interface Fields {
  latitude: string;
  longitude: string;
  timezone: string;
}

export function PlaceStep({ onDone }: StepProps) {
  const { locked, problem, run } = useAct();
  const [fields, setFields] = useState<Fields>(startingFields);
  const set = (changes: Partial<Fields>): void => setFields((before) => ({ ...before, ...changes }));
  const place = placeIn(fields);

  const pickCity = ({ latitude, longitude, timezone }: City): void =>
    set({ latitude: String(latitude), longitude: String(longitude), timezone });
  /** From the map: the nearest city knows the zone. */
  const pickPlace = ({ latitude, longitude }: Place): void =>
    set({
      ...{ latitude: String(latitude), longitude: String(longitude) },
      ...{ timezone: cityNear(latitude, longitude)?.timezone ?? fields.timezone },
    });
  const locate = async (): Promise<void> => {
    const { latitude, longitude } = await whereIAm();
    set({ latitude: latitude.toFixed(3), longitude: longitude.toFixed(3), timezone: browserZone() });
  };

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (place && (await run(() => changePlace({ ...place, timezone: fields.timezone })))) onDone();
  }

  return (
    <form class="setup-form wide" onSubmit={submit}>
      <p>{t("place.why")}</p>
      <CitySearch onPick={pickCity} />
      {isSecureContext && (
        <button type="button" disabled={locked} onClick={() => void run(locate)}>
          {t("place.here")}
        </button>
      )}
      <PlaceMap place={place} onPick={pickPlace} />
      <div class="setup-row">
        <Coordinate name="latitude" most={90} value={fields.latitude} onChange={(latitude) => set({ latitude })} />
        <Coordinate name="longitude" most={180} value={fields.longitude} onChange={(longitude) => set({ longitude })} />
      </div>
      <label>
        {t("place.zone")}
        <input
          name="timezone"
          list="zones"
          value={fields.timezone}
          required
          onInput={(event) => set({ timezone: event.currentTarget.value })}
        />
      </label>
      <datalist id="zones">
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <p role="status">{place && sunInWords(place, fields.timezone)}</p>
      <Problem of={problem} />
      <p class="buttons">
        <button type="submit" class="main" disabled={locked || !place}>
          {t("welcome.save")}
        </button>
      </p>
    </form>
  );
}

interface CoordinateProps {
  name: "latitude" | "longitude";
  most: number;
  value: string;
  onChange: (value: string) => void;
}

function Coordinate({ name, most, value, onChange }: CoordinateProps) {
  return (
    <label>
      {t(`place.${name}`)}
      <input
        {...{ name, type: "number", step: "any", min: -most, max: most, value, required: true }}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function CitySearch({ onPick }: { onPick: (city: City) => void }) {
  const [text, setText] = useState("");
  const [picked, setPicked] = useState("");
  const found = citiesNamed(text, MAX_FOUND);
  return (
    <div>
      <label>
        {t("place.search")}
        <input type="search" value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {text !== "" && text !== picked && (
        <div class="chips" role="status">
          {found.map((city) => (
            <button
              key={city.names[0]}
              type="button"
              onClick={() => {
                onPick(city);
                setText(nameOf(city));
                setPicked(nameOf(city));
              }}
            >
              {nameOf(city)}
            </button>
          ))}
          {found.length === 0 && t("place.none")}
        </div>
      )}
    </div>
  );
}

/** Rejects with ApiError, which says what else to do. */
function whereIAm(): Promise<Place> {
  const { promise, resolve, reject } = Promise.withResolvers<Place>();
  const refuse = (): void => reject(new ApiError(0, { detail: t("place.not_here") }));
  navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords), refuse, { timeout: LOCATE_MS });
  return promise;
}

function nameOf({ names: [english = "", german = english] }: City): string {
  return language.value === "de" ? german : english;
}

function startingFields(): Fields {
  const { latitude = null, longitude = null, timezone = null } = setup.value?.location ?? {};
  return {
    latitude: latitude === null ? "" : String(latitude),
    longitude: longitude === null ? "" : String(longitude),
    timezone: timezone ?? browserZone(),
  };
}

function placeIn({ latitude, longitude }: Fields): Place | undefined {
  if (latitude === "" || longitude === "") return undefined;
  const place = { latitude: Number(latitude), longitude: Number(longitude) };
  return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180 ? place : undefined;
}

function sunInWords(place: Place, timeZone: string): string {
  const times = sunTimes(place);
  if (!times) return t("place.no_sun");
  try {
    const format = new Intl.DateTimeFormat(language.value, { timeStyle: "short", timeZone });
    return t("place.sun", { rise: format.format(times.rise), set: format.format(times.set) });
  } catch {
    // A time zone that is still being typed.
    return "";
  }
}
