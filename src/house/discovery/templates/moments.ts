// Python's datetime, date, time and timedelta.

const DAY_MS = 86_400_000;
export const two = (value: number): string => String(value).padStart(2, "0");
const six = (value: number): string => String(value).padStart(6, "0");

/** A date and time, or one of them alone. */
export class Moment {
  /** Since the epoch, to the microsecond; without a zone as if it were in UTC. */
  readonly ms: number;
  /** Of the zone in which it is printed, from UTC. Undefined: it has no zone. */
  readonly offsetMs: number | undefined;
  readonly part: "date" | "time" | undefined;

  constructor(ms: number, offsetMs: number | undefined, part?: "date" | "time") {
    this.ms = Math.round(ms * 1000) / 1000;
    this.offsetMs = offsetMs;
    this.part = part;
  }

  /** Epoch ms as if its zone were UTC. */
  get localMs(): number {
    return this.ms + (this.offsetMs ?? 0);
  }

  get microsecond(): number {
    return Math.round((this.localMs - Math.floor(this.localMs / 1000) * 1000) * 1000) % 1_000_000;
  }

  text(separator = " "): string {
    const iso = new Date(Math.floor(this.localMs)).toISOString();
    const date = iso.slice(0, 10);
    if (this.part === "date") return date;
    const time = iso.slice(11, 19) + (this.microsecond === 0 ? "" : `.${six(this.microsecond)}`);
    return this.part === "time" ? time : `${date}${separator}${time}${zoneText(this.offsetMs, ":")}`;
  }
}

/** `+01:00`; nothing where there is no zone. */
export function zoneText(offsetMs: number | undefined, colon: string): string {
  if (offsetMs === undefined) return "";
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${colon}${two(minutes % 60)}`;
}

/** A span of time. */
export class Duration {
  /** In whole microseconds. */
  readonly us: number;

  constructor(us: number) {
    this.us = Math.round(us);
  }

  get days(): number {
    return Math.floor(this.us / 1000 / DAY_MS);
  }

  get seconds(): number {
    return Math.floor((this.us - this.days * DAY_MS * 1000) / 1_000_000);
  }

  get microseconds(): number {
    return this.us - this.days * DAY_MS * 1000 - this.seconds * 1_000_000;
  }

  text(): string {
    const { days, seconds, microseconds } = this;
    const time = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    const micro = microseconds === 0 ? "" : `.${six(microseconds)}`;
    return `${days === 0 ? "" : `${days} day${Math.abs(days) === 1 ? "" : "s"}, `}${time}${micro}`;
  }
}
