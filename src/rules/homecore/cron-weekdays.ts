// The day of the week in homeCore's cron expressions: 1 is Sunday and 7 Saturday, and a rule with both a day of the month and
// a day of the week runs on days that are both.

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const FIELDS = 6;
const [DAY_OF_MONTH, DAY_OF_WEEK] = [3, 5];

export type CronResult = { ok: true; expression: string } | { ok: false; problem: string };

/** The expression with names in place of numbers. Without six fields it is left as it is, for others to refuse. */
export function ourCron(expression: string): CronResult {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== FIELDS) return { ok: true, expression };
  const weekday = fields[DAY_OF_WEEK] ?? "*";
  if (isOpen(weekday)) return { ok: true, expression };
  const days = daysOf(weekday);
  if (days === undefined)
    return { ok: false, problem: `"${weekday}" is no day of the week: it takes 1 (Sunday) to 7 (Saturday), or names` };
  const both = isOpen(fields[DAY_OF_MONTH] ?? "*") ? "" : "+";
  fields[DAY_OF_WEEK] = both + days.join(",");
  return { ok: true, expression: fields.join(" ") };
}

function isOpen(field: string): boolean {
  return field === "*" || field === "?";
}

function daysOf(field: string): string[] | undefined {
  const chosen = new Set<number>();
  for (const part of field.split(",")) {
    const [, from = "", to, step = "1"] = /^([A-Za-z]+|\d+|\*)(?:-([A-Za-z]+|\d+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const first = from === "*" ? 0 : dayOf(from);
    // A step alone goes on to the end: `2/2` is Monday, Wednesday, Friday.
    const last = to !== undefined ? dayOf(to) : from === "*" || part.includes("/") ? DAYS.length - 1 : first;
    if (first === undefined || last === undefined || last < first || Number(step) < 1) return undefined;
    for (let day = first; day <= last; day += Number(step)) chosen.add(day);
  }
  return DAYS.filter((_, day) => chosen.has(day));
}

function dayOf(text: string): number | undefined {
  const number = Number(text);
  if (Number.isInteger(number)) return number >= 1 && number <= DAYS.length ? number - 1 : undefined;
  const index = DAYS.findIndex((day) => text.length >= 3 && FULL_NAMES[day].startsWith(text.toLowerCase()));
  return index < 0 ? undefined : index;
}

const FULL_NAMES: Readonly<Record<(typeof DAYS)[number], string>> = {
  sun: "sunday",
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
};
