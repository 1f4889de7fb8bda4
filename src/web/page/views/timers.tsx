// Timers of the house, counting down.
import { useEffect, useRef, useState } from "preact/hooks";
import { AskFirst } from "../components/ask-first.tsx";
import { formatCountdown } from "../components/exact.ts";
import { NameEditor } from "../components/name-editor.tsx";
import { NewThing } from "../components/new-thing.tsx";
import { createOwn, removeOwn, renameOwn } from "../components/own-devices.ts";
import { Problem } from "../components/problem.tsx";
import { useNow } from "../components/ticking.ts";
import { mayAct, useAct } from "../components/use-act.ts";
import { useHubData } from "../components/use-hub-data.ts";
import { patch } from "../state/api.ts";
import { type Attributes, devices } from "../state/house.ts";
import { formatTime, t } from "../texts/index.ts";

interface Timer {
  id: string;
  name: string;
  state: "idle" | "started" | "paused" | "expired" | "cancelled";
  duration_secs: number | null;
  ends_at: string | null;
  remaining_secs: number | null;
}

const AFTER = ["timer_state_changed", "device_name_changed"] as const;
const QUICK_MINUTES = [1, 5, 10, 30, 60] as const;
const UNITS = { seconds: 1, minutes: 60, hours: 3600 } as const;
type Unit = keyof typeof UNITS;

export function TimersView() {
  const { value: timers, problem, read } = useHubData<Timer[]>("/timers", { after: AFTER });
  return (
    <>
      <h1>{t("timers.title")}</h1>
      <Problem of={problem} />
      {timers?.length === 0 && <p>{t("timers.empty")}</p>}
      <ul class="rows">
        {timers?.map((timer) => (
          <TimerRow key={timer.id} timer={timer} read={read} />
        ))}
      </ul>
      <NewThing
        label={t("timers.new")}
        disabled={!mayAct("user")}
        onCreate={async (name) => {
          await createOwn("timers", name);
          await read();
        }}
      />
    </>
  );
}

function TimerRow({ timer, read }: { timer: Timer; read: () => Promise<void> }) {
  const { id, name, state } = timer;
  const act = useAct();
  const isLocked = !mayAct("user") || act.isBusy;
  const order = (wanted: Attributes): void =>
    void act.run(async () => {
      await patch(`/devices/${encodeURIComponent(id)}/state`, wanted);
      await read();
    });
  return (
    <li class="row">
      <div class="about">
        <NameEditor
          name={name}
          disabled={!mayAct("user")}
          onSave={async (next) => {
            await renameOwn("timers", id, next);
            await read();
          }}
        />
        <p class="hint">
          {t(`timer.${state}`)}
          {state === "started" &&
            timer.ends_at !== null &&
            ` · ${t("timer.until", { time: formatTime(timer.ends_at) })}`}
        </p>
      </div>
      <Countdown timer={timer} />
      <div class="buttons">
        {state === "started" && (
          <Order label={t("timer.pause")} of={name} disabled={isLocked} onClick={() => order({ command: "pause" })} />
        )}
        {state === "paused" && (
          <Order label={t("timer.resume")} of={name} disabled={isLocked} onClick={() => order({ command: "resume" })} />
        )}
        {(state === "started" || state === "paused") && (
          <Order label={t("timer.cancel")} of={name} disabled={isLocked} onClick={() => order({ command: "cancel" })} />
        )}
        {timer.duration_secs !== null && (
          <Order
            label={t("timer.restart", { duration: formatCountdown(timer.duration_secs) })}
            of={name}
            disabled={isLocked}
            onClick={() => order({ command: "restart" })}
          />
        )}
        <AskFirst
          label={t("house.remove")}
          of={name}
          question={t("house.remove_of", { name })}
          disabled={isLocked}
          onYes={() =>
            void act.run(async () => {
              const device = devices.peek().get(id)?.peek();
              if (device) await removeOwn("timers", device, read);
            })
          }
        />
      </div>
      <StartTimer
        name={name}
        disabled={isLocked}
        onStart={(secs) => order({ command: "start", duration_secs: secs })}
      />
      <Problem of={act.problem} />
    </li>
  );
}

function Order({
  label,
  of,
  disabled,
  onClick,
}: {
  label: string;
  of: string;
  disabled: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" disabled={disabled} aria-label={`${label}: ${of}`} onClick={onClick}>
      {label}
    </button>
  );
}

/** By the hub's own count: the clock of this device may be wrong. */
function Countdown({ timer }: { timer: Timer }) {
  const { state, remaining_secs: remaining } = timer;
  useNow();
  const read = useRef({ timer, at: performance.now() });
  if (read.current.timer !== timer) read.current = { timer, at: performance.now() };
  if (remaining === null || (state !== "started" && state !== "paused")) return null;
  const passed = state === "started" ? (performance.now() - read.current.at) / 1000 : 0;
  return (
    <span class="countdown" role="timer" aria-label={timer.name}>
      {formatCountdown(remaining - passed)}
    </span>
  );
}

function StartTimer({ name, disabled, onStart }: { name: string; disabled: boolean; onStart: (secs: number) => void }) {
  const [amount, setAmount] = useState("");
  const [unit, setUnit] = useState<Unit>("minutes");
  const details = useRef<HTMLDetailsElement>(null);
  const start = (secs: number): void => {
    onStart(secs);
    if (details.current) details.current.open = false;
  };
  useEffect(() => setAmount(""), [unit]);
  return (
    <details class="wide" ref={details}>
      <summary aria-label={`${t("timer.start")}: ${name}`}>{t("timer.start")}</summary>
      <div class="buttons">
        {QUICK_MINUTES.map((minutes) => (
          <button key={minutes} type="button" disabled={disabled} onClick={() => start(minutes * 60)}>
            {minutes === 60 ? t("timer.hour") : t("timer.minutes", { count: minutes })}
          </button>
        ))}
      </div>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          start(Number(amount) * UNITS[unit]);
        }}
      >
        <label class="field">
          {t("timer.duration")}
          <input
            type="number"
            min="0.001"
            step="any"
            required
            value={amount}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        <label class="field">
          {t("timer.unit")}
          <select value={unit} onChange={({ currentTarget }) => setUnit(currentTarget.value as Unit)}>
            {Object.keys(UNITS).map((one) => (
              <option key={one} value={one}>
                {t(`timer.unit.${one as Unit}`)}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="main" disabled={disabled}>
          {t("timer.start")}
        </button>
      </form>
    </details>
  );
}
