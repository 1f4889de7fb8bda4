// The week of a schedule: each day with a bar of its hours and its stretches, to change and to copy to other days.

import {
  DAYS,
  type Day,
  dayName,
  type Edge,
  minutesOf,
  type Stretch,
  timeOf,
  type Week,
  withEdge,
} from "../../model/place/week-plan.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { DayBar } from "./week-bar.tsx";

interface WeekEditorProps {
  week: Week;
  disabled: boolean;
  onChange: (week: Week) => void;
}

const WORKING: readonly Day[] = DAYS.slice(0, 5);
const FIRST: Stretch = { from: "07:00", to: "08:00" };

export function WeekEditor({ week, disabled, onChange }: WeekEditorProps) {
  return (
    <div class="week">
      {DAYS.map((day) => (
        <fieldset key={day} class="day">
          <legend>{dayName(day)}</legend>
          <DayBar
            {...{ week, day, disabled }}
            onMove={(begins, index, edge, minutes) => onChange(withMoved(week, begins, index, edge, minutes))}
          />
          {week[day].map((stretch, index) => (
            <StretchFields
              // Two may be alike while one is typed.
              key={index}
              day={day}
              stretch={stretch}
              disabled={disabled}
              onChange={(next) => onChange({ ...week, [day]: replaced(week[day], index, next) })}
            />
          ))}
          {!disabled && (
            <div class="buttons">
              <button
                type="button"
                aria-label={`${t("schedule.add")}: ${dayName(day)}`}
                onClick={() => onChange({ ...week, [day]: [...week[day], nextAfter(week[day])] })}
              >
                <Icon name="plus" size={16} /> {t("schedule.add")}
              </button>
              <CopyDay day={day} onCopy={(to) => onChange({ ...week, ...copies(week[day], to) })} />
            </div>
          )}
        </fieldset>
      ))}
    </div>
  );
}

function withMoved(week: Week, day: Day, index: number, edge: Edge, minutes: number): Week {
  const stretch = week[day][index];
  return stretch ? { ...week, [day]: replaced(week[day], index, withEdge(stretch, edge, minutes)) } : week;
}

/** `next` undefined takes it out. */
function replaced(stretches: readonly Stretch[], index: number, next: Stretch | undefined): Stretch[] {
  return stretches.flatMap((stretch, place) => (place === index ? (next ?? []) : stretch));
}

/** An hour behind the last one, or the first of the day. */
function nextAfter(stretches: readonly Stretch[]): Stretch {
  const last = stretches.at(-1);
  if (!last) return FIRST;
  const from = Math.min(minutesOf(last)[1] + 60, 22 * 60);
  return { from: timeOf(from), to: timeOf(from + 60) };
}

function copies(stretches: readonly Stretch[], to: readonly Day[]): Partial<Week> {
  return Object.fromEntries(to.map((day) => [day, stretches]));
}

interface StretchFieldsProps {
  day: Day;
  stretch: Stretch;
  disabled: boolean;
  onChange: (stretch: Stretch | undefined) => void;
}

function StretchFields({ day, stretch, disabled, onChange }: StretchFieldsProps) {
  const { from, to } = stretch;
  const of = `${dayName(day)}, ${from}–${to}`;
  const isOfNextDay = to <= from && to !== "00:00";
  return (
    <div class="stretch">
      <TimeField
        label={`${t("schedule.from")}: ${of}`}
        value={from}
        disabled={disabled}
        onChange={(next) => onChange({ from: next, to })}
      />
      <span aria-hidden="true">–</span>
      <TimeField
        label={`${t("schedule.to")}: ${of}`}
        value={to}
        disabled={disabled}
        onChange={(next) => onChange({ from, to: next })}
      />
      {!disabled && (
        <button
          type="button"
          class="bare"
          aria-label={`${t("house.remove")}: ${of}`}
          onClick={() => onChange(undefined)}
        >
          ✕
        </button>
      )}
      {isOfNextDay && <span class="hint">{t(to === from ? "schedule.no_length" : "schedule.next_day")}</span>}
      {to === "00:00" && from === "00:00" && <span class="hint">{t("schedule.whole_day")}</span>}
    </div>
  );
}

interface TimeFieldProps {
  label: string;
  value: string;
  disabled: boolean;
  onChange: (time: string) => void;
}

/** A field that is emptied keeps its time. */
function TimeField({ label, value, disabled, onChange }: TimeFieldProps) {
  return (
    <input
      type="time"
      aria-label={label}
      value={value}
      required
      disabled={disabled}
      onChange={({ currentTarget }) => {
        if (currentTarget.value === "") currentTarget.value = value;
        else onChange(currentTarget.value.slice(0, 5));
      }}
    />
  );
}

function CopyDay({ day, onCopy }: { day: Day; onCopy: (to: readonly Day[]) => void }) {
  const choices: [value: string, label: string, days: readonly Day[]][] = [
    ["all", t("schedule.all_days"), DAYS],
    ["working", `${dayName("mon")} – ${dayName("fri")}`, WORKING],
    ...DAYS.filter((one) => one !== day).map((one): [string, string, Day[]] => [one, dayName(one), [one]]),
  ];
  return (
    <select
      aria-label={t("schedule.copy_of", { day: dayName(day) })}
      value=""
      onChange={({ currentTarget }) => {
        const [, , days] = choices.find(([value]) => value === currentTarget.value) ?? [];
        currentTarget.value = "";
        if (days) onCopy(days);
      }}
    >
      <option value="">{t("schedule.copy")}</option>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
