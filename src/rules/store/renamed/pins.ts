// Which rules were there when an attribute got another name, and of which of them a person said that they are right as they are.
import type { StateDb } from "../../../server/db/state-db.ts";

/** A rule, and an attribute that it may mean by its former name. */
export interface Pin {
  ruleId: string;
  deviceId: string;
  attribute: string;
}

export interface Pins {
  has(pin: Pin): boolean;
  /** Rules with any. */
  rules(): Iterable<string>;
  /** Attributes whose rules were not looked through when the hub was stopped. */
  unlooked(): { deviceId: string; attribute: string }[];
  /** The rules of these attributes have been looked through. Throws; then it is known until the next start. */
  add(pins: readonly Pin[], looked: Iterable<{ deviceId: string; from: string }>): void;
  /** Durable when it returns. Throws. */
  dismiss(ruleId: string): void;
}

interface Row {
  rule_id: string;
  device_id: string;
  attribute: string;
}

const keyOf = ({ deviceId, attribute }: Omit<Pin, "ruleId">): string => `${deviceId}\n${attribute}`;

export function openPins({ durable, relaxed }: Pick<StateDb, "durable" | "relaxed">): Pins {
  const known = new Map<string, Set<string>>();
  const put = ({ ruleId, ...of }: Pin): void => {
    known.set(ruleId, (known.get(ruleId) ?? new Set()).add(keyOf(of)));
  };
  const rows = durable.query<Row, []>("SELECT rule_id, device_id, attribute FROM renamed_in_rules WHERE dismissed = 0");
  for (const { rule_id, device_id, attribute } of rows.all()) put({ ruleId: rule_id, deviceId: device_id, attribute });
  const insert = relaxed.query(
    `INSERT INTO renamed_in_rules (rule_id, device_id, attribute)
     SELECT $ruleId, device_id, former FROM renamed_attributes WHERE device_id = $deviceId AND former = $attribute
     ON CONFLICT DO UPDATE SET dismissed = 0`,
  );
  const look = relaxed.query("UPDATE renamed_attributes SET looked = 1 WHERE device_id = ? AND former = ?");
  const dismiss = durable.query("UPDATE renamed_in_rules SET dismissed = 1 WHERE rule_id = ?");
  const write = relaxed.transaction((pins: readonly Pin[], looked: Iterable<{ deviceId: string; from: string }>) => {
    for (const { ruleId, deviceId, attribute } of pins) insert.run({ ruleId, deviceId, attribute });
    for (const { deviceId, from } of looked) look.run(deviceId, from);
  }).immediate;

  return {
    has: ({ ruleId, ...of }) => known.get(ruleId)?.has(keyOf(of)) ?? false,
    rules: () => known.keys(),
    unlooked: () =>
      durable
        .query<{ deviceId: string; attribute: string }, []>(
          "SELECT device_id AS deviceId, former AS attribute FROM renamed_attributes WHERE looked = 0",
        )
        .all(),
    add(pins, looked) {
      for (const pin of pins) put(pin);
      write(pins, looked);
    },
    dismiss(ruleId) {
      dismiss.run(ruleId);
      known.delete(ruleId);
    },
  };
}
