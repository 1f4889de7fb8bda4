// What a camera shows: the newest picture, and the last ones to choose from.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../browser/now.ts";
import { loadViewStyles } from "../../browser/view-styles.ts";
import type { Device } from "../../model/device/device.ts";
import { ApiError, ask, get } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";
import { formatAge, formatMoment, t } from "../../texts/index.ts";
import { Age } from "../../ui/moment.tsx";

interface Kept {
  at: string;
  of: string | null;
}

const MAX_LISTED = 30;

export function Pictures({ device: { id, name, attributes } }: { device: Device }) {
  const newest = String(attributes.picture_at ?? "");
  const [kept, setKept] = useState<readonly Kept[]>([]);
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    get<Kept[]>(`${pictureAddress(id)}s`).then(setKept, () => {});
  }, [id, newest]);
  const shown = kept.find(({ at }) => at === chosen) ?? kept[0];
  const at = shown?.at ?? newest;
  const { address: picture } = usePicture({ id, at, of: shown?.of ?? undefined });
  return (
    <section class="card" aria-labelledby="pictures">
      <h2 id="pictures">{t("device.pictures")}</h2>
      {picture !== undefined && <img class="picture" src={picture} alt={t("device.picture_alt", { name })} />}
      <p class="hint">
        {shown?.of} <Age at={at} />
      </p>
      {kept.length > 1 && (
        <label>
          {t("device.picture_choose")}{" "}
          <select value={shown?.at} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {kept.slice(0, MAX_LISTED).map((one) => (
              <option key={`${one.at} ${one.of}`} value={one.at}>
                {[new Date(one.at).toLocaleString(), one.of].filter(Boolean).join(" · ")}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}

// A picture of a device, read from the hub.
export interface WantedPicture {
  id: string;
  /** The last one by then, ISO. */
  at: string;
  /** Which of the device's pictures; any, where it is absent. */
  of?: string | undefined;
}

export interface SeenPicture {
  /** Within the page, as an `img` cannot send the token. The last one stays until the next is there. */
  address?: string;
  /** When it came, ISO. */
  at?: string;
  /** The status with which the hub refused the last one; 0 where it was not reached. */
  refused?: number;
}

const pictureAddress = (id: string): string => `/devices/${encodeURIComponent(id)}/picture`;

/** Undefined: nothing is read now, and what was seen stays. `restMs`: how long it rests after each. */
function usePicture(wanted: WantedPicture | undefined, restMs = 0): SeenPicture {
  const [seen, setSeen] = useState<SeenPicture>({});
  const reader = useRef<Reader | undefined>(undefined);
  useEffect(() => {
    const own = startReader(setSeen, restMs);
    reader.current = own;
    return () => own[Symbol.dispose]();
  }, []);
  useEffect(() => reader.current?.read(wanted), [wanted?.id, wanted?.at, wanted?.of]);
  useEffect(() => () => URL.revokeObjectURL(seen.address ?? ""), [seen.address]);
  return seen;
}

interface Reader extends Disposable {
  read(wanted: WantedPicture | undefined): void;
}

/** One after the other, and of those that are wanted meanwhile the last: also a slow line shows what a busy camera sees. */
function startReader(show: (how: (before: SeenPicture) => SeenPicture) => void, restMs: number): Reader {
  const over = new AbortController();
  let next: WantedPicture | undefined;
  let shown = "";
  let isBusy = false;

  async function readNext(): Promise<void> {
    const { id, at, of } = next ?? { id: "", at: "" };
    const query = String(new URLSearchParams({ at, ...(of !== undefined && { of }) }));
    next = undefined;
    if (id === "" || query === shown) return;
    try {
      const answer = await ask("GET", `${pictureAddress(id)}?${query}`, { signal: over.signal });
      const bytes = await answer.blob();
      if (over.signal.aborted) return;
      shown = query;
      show(() => ({ address: URL.createObjectURL(bytes), at }));
    } catch (error) {
      const refused = error instanceof ApiError ? error.status : 0;
      if (!over.signal.aborted) show((before) => (mayLook(refused) ? { ...before, refused } : { refused }));
    }
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }

  async function run(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    while (next && !over.signal.aborted) await readNext();
    isBusy = false;
  }

  return {
    read(wanted) {
      next = wanted;
      void run();
    },
    [Symbol.dispose]: () => over.abort(),
  };
}

/** Whoever lost the right, or whose picture is gone, sees the last one no longer. */
const mayLook = (status: number): boolean => ![401, 403, 404].includes(status);

interface TilePictureProps {
  of: Device;
  /** Where it leads. */
  href: string;
  /** What else there is to say of the device. */
  children: ComponentChildren;
}

/** Of a busy camera's pictures one in so much time. */
const REST_MS = 2000;
const NO_BREAK = "\u00a0";
const OF_PICTURES: readonly string[] = ["picture_at", "picture_of"];

export async function loadTilePicture() {
  await loadViewStyles();
  return TilePicture;
}

/** What a camera shows, on its tile: the newest picture, how old it is, and the way to the larger one. Read while somebody sees it. */
function TilePicture({ of: { id, name, attributes, available }, href, children }: TilePictureProps) {
  const place = useRef<HTMLAnchorElement>(null);
  const isSeen = useIsSeen(place);
  const [broken, setBroken] = useState("");
  const at = typeof attributes.picture_at === "string" ? attributes.picture_at : "";
  const isRead = isSeen && at !== "" && connection.value.state === "live";
  const { address, at: shownAt = "", refused } = usePicture(isRead ? { id, at } : undefined, REST_MS);
  const isThere = address !== undefined && address !== broken;
  const isLoading = isRead && address === undefined && refused === undefined;
  // Its line is there before it, so that nothing moves.
  const isComing = at !== "" && refused === undefined;
  const saysMore = !available || Object.keys(attributes).some((attribute) => !OF_PICTURES.includes(attribute));
  return (
    <>
      {saysMore && <p class="state">{children}</p>}
      {(isThere || isComing) && <p class="state">{isThere ? <ShownAt at={shownAt} /> : NO_BREAK}</p>}
      <a ref={place} class="tile-picture" href={href} aria-busy={isLoading}>
        {isThere ? (
          <img src={address} alt={t("device.picture_alt", { name })} onError={() => setBroken(address)} />
        ) : (
          <span class={isLoading ? "visually-hidden" : undefined}>
            {isLoading ? t("device.picture_alt", { name }) : absence(at, refused)}
          </span>
        )}
      </a>
    </>
  );
}

function ShownAt({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatAge(at, Math.max(now.value, Date.parse(at)))}
    </time>
  );
}

function absence(at: string, refused: number | undefined): string {
  if (refused === 403) return t("device.picture_refused");
  return at === "" || refused === 404 ? t("device.picture_none") : t("device.picture_later");
}

/** Whether it is in sight, on a page that somebody looks at. */
function useIsSeen(place: { current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    let isInside = false;
    const look = (): void => setSeen(isInside && document.visibilityState === "visible");
    const observer = new IntersectionObserver((entries) => {
      isInside = entries.at(-1)?.isIntersecting ?? false;
      look();
    });
    if (place.current) observer.observe(place.current);
    document.addEventListener("visibilitychange", look);
    return () => {
      observer.disconnect();
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isSeen;
}
