// What a camera shows, on its tile: the newest picture, how old it is, and the way to the larger one. Read while somebody sees it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../browser/now.ts";
import { loadViewStyles } from "../../browser/view-styles.ts";
import type { Device } from "../../model/device/device.ts";
import { connection } from "../../state/hub/live.ts";
import { formatAge, formatMoment, t } from "../../texts/index.ts";
import { usePicture } from "../devices/use-picture.ts";

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
