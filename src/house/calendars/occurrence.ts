// What is read of a calendar: its events within a window of time, each repetition by itself.

export interface Occurrence {
  readonly uid: string;
  readonly title: string;
  /** Epoch ms. */
  readonly start: number;
  /** Not before the start. */
  readonly end: number;
  /** It has days and no times: midnight to midnight at the house. */
  readonly allDay: boolean;
  readonly location: string | undefined;
}

/** Epoch ms: what ends before or begins later is left out. */
export interface Window {
  readonly from: number;
  readonly until: number;
}

export interface ReadRequest extends Window {
  /** IANA name of the zone of the house, for times without one. */
  timezone: string;
  /** Entries of the file, by their place in it, that are left out: they were too much before. */
  skip?: readonly { entry: number; why: string }[];
}

export interface ReadCalendar extends Window {
  /** By start. */
  occurrences: Occurrence[];
  /** How many events the file has, whenever they are. */
  events: number;
  /** What was left out, in one sentence each. */
  problems: string[];
}
