// The start on a wall: nothing around it, a clock, a screen that stays on, darkens when nobody touches it and never burns.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { loadViewStyles } from "../../browser/view-styles.ts";
import { seconds } from "../../state/hub/clock.ts";
import { formatDate, t } from "../../texts/index.ts";

const IDLE_MS = 2 * 60_000;
const SHIFT_MS = 60_000;
/** Pixels: enough that no edge stays on the same ones. */
const SHIFTS = [0, 3, 6, 3, 0, -3, -6, -3];

export async function loadWall() {
  await loadViewStyles();
  return Wall;
}

function Wall() {
  const isIdle = useSignal(false);

  useEffect(() => {
    const { classList, style } = document.documentElement;
    classList.add("wall");
    let resting: ReturnType<typeof setTimeout>;
    let turn = 0;

    function touched(): void {
      clearTimeout(resting);
      resting = setTimeout(() => {
        isIdle.value = true;
      }, IDLE_MS);
    }
    function shift(): void {
      turn++;
      style.setProperty("--shift-x", `${SHIFTS[turn % SHIFTS.length]}px`);
      style.setProperty("--shift-y", `${SHIFTS[(turn + 2) % SHIFTS.length]}px`);
    }

    touched();
    const shifting = setInterval(shift, SHIFT_MS);
    const names = ["pointerdown", "pointermove", "keydown"] as const;
    for (const name of names) addEventListener(name, touched);
    const endWakeLock = keepAwake();
    return () => {
      clearTimeout(resting);
      clearInterval(shifting);
      for (const name of names) removeEventListener(name, touched);
      for (const name of ["--shift-x", "--shift-y"]) style.removeProperty(name);
      classList.remove("wall");
      endWakeLock();
    };
  }, []);

  return (
    <>
      <WallClock />
      {isIdle.value && (
        // The touch that wakes the screen does nothing else.
        <button
          type="button"
          class="asleep"
          aria-label={t("wall.wake")}
          onClick={() => {
            isIdle.value = false;
          }}
        >
          <WallClock />
        </button>
      )}
    </>
  );
}

function WallClock() {
  const time = formatDate(seconds.value, { timeStyle: "short" });
  const day = formatDate(seconds.value, { weekday: "long", day: "numeric", month: "long" });
  return (
    <p class="wall-clock">
      <time>{time}</time> <span>{day}</span>
    </p>
  );
}

/** The lock ends whenever the page is hidden. Only secure pages get one; elsewhere the tablet's own settings decide. */
function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let isOver = false;
  async function ask(): Promise<void> {
    if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
    lock = await navigator.wakeLock.request("screen").catch(() => undefined);
    if (isOver) await lock?.release();
  }
  const askAgain = (): void => void ask();
  document.addEventListener("visibilitychange", askAgain);
  askAgain();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", askAgain);
    void lock?.release();
  };
}
