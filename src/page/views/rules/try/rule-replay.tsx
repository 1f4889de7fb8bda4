// What a rule would have done over a past time: days with what it would have done, and why it would not have run.
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { here } from "../../../browser/start-address.ts";
import { houseDay } from "../../../browser/zone.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { hubNow } from "../../../state/hub/clock.ts";
import { connection } from "../../../state/hub/live.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";
import { daysOf, isPossible, type Period, type Replay, replayOf } from "./replay.ts";
import { ReplayResult } from "./replay-result.tsx";

const USUAL = "7";
const SPANS = ["1", "7", "31"] as const;

/** The period is in the address as `replay`. */
export function RuleReplay({ id }: { id: string }) {
  const { route } = useLocation();
  const period = useRoute().query.replay ?? USUAL;
  const [replay, setReplay] = useState<Replay>();
  const [problem, setProblem] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const waiting = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => waiting.current?.abort(), [id]);
  const mayRun = connection.value.state === "live" && allows("user") && isPossible(period) && !isRunning;

  async function run(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const asked = new AbortController();
    const { signal } = asked;
    waiting.current = asked;
    setRunning(true);
    setProblem(undefined);
    try {
      setReplay(await replayOf(id, period, { now: hubNow(), signal }));
    } catch (error) {
      if (!signal.aborted) setProblem(error);
    }
    if (!signal.aborted) setRunning(false);
  }

  function choose(next: Period): void {
    setReplay(undefined);
    route(here({ replay: next === USUAL ? undefined : next }), true);
  }

  return (
    <section class="replay" aria-labelledby="replay-title">
      <h2 id="replay-title">{t("replay.title")}</h2>
      <p>{t("replay.what")}</p>
      <form onSubmit={run}>
        <PeriodFields period={period} onChange={choose} />
        <button type="submit" class="main" disabled={!mayRun}>
          {t("replay.run")}
        </button>
      </form>
      {!isPossible(period) && <p class="hint">{t("replay.wrong_days")}</p>}
      <Problem of={problem} />
      <p role="status">{isRunning && t("replay.running")}</p>
      {replay && !isRunning && <ReplayResult of={replay} />}
    </section>
  );
}

function PeriodFields({ period, onChange }: { period: Period; onChange: (period: Period) => void }) {
  const days = daysOf(period);
  const today = houseDay(hubNow());
  return (
    <>
      <label>
        {t("replay.period")}
        <select
          value={days ? "own" : period}
          onChange={({ currentTarget: { value } }) => onChange(value === "own" ? `${today}..${today}` : value)}
        >
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {t(`replay.days_${span}`)}
            </option>
          ))}
          <option value="own">{t("replay.days_own")}</option>
        </select>
      </label>
      {days && (
        <>
          <label>
            {t("replay.from")}
            <input
              type="date"
              value={days.first}
              max={today}
              onChange={({ currentTarget: { value } }) => onChange(`${value}..${days.last}`)}
            />
          </label>
          <label>
            {t("replay.to")}
            <input
              type="date"
              value={days.last}
              max={today}
              onChange={({ currentTarget: { value } }) => onChange(`${days.first}..${value}`)}
            />
          </label>
        </>
      )}
    </>
  );
}
