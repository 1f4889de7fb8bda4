// The same templates through the compiled hub: each is announced as the one sensor of a device, receives its messages, and what it makes
// of each must be an attribute. Only those that read a message; what is nothing, or refused, leaves what was known.
import { fromJson, str } from "../../../src/house/discovery/templates/values.ts";
import type { Json } from "../../../src/kit/schema/json.ts";
import { until } from "../../support/wait.ts";
import { Counts } from "./counts.ts";
import { startHouse } from "./house.ts";

interface Case {
  t: string;
  ctx: Record<string, unknown>;
  want: string | null;
}

type Device = { id: string; attributes: Record<string, unknown> };

const AT_ONCE = 200;
// The hub has another time than the one that the right answers were made at.
const OF_NOW = /now\(|today_at|time_since|time_until/;

const isRead = ({ t, ctx, want }: Case): boolean =>
  typeof ctx.value === "string" &&
  Object.keys(ctx).every((name) => name === "value" || name === "value_json") &&
  (want ?? "").trim() !== "" &&
  !OF_NOW.test(t);

/** `binary`: the hub's. Ends by itself: what does not come is wrong, after ten seconds a round. */
export async function checkAnnounced(lines: readonly string[], binary: string): Promise<Counts> {
  const counts = new Counts("templates through the hub");
  const byTemplate = new Map<string, Case[]>();
  for (const one of lines.map((line) => JSON.parse(line) as Case).filter(isRead))
    byTemplate.set(one.t, [...(byTemplate.get(one.t) ?? []), one]);
  const all = [...byTemplate].map(([t, cases], at) => ({ t, cases, id: `tpl${at}`, topic: `zigbee2mqtt/tpl/${at}` }));
  await using house = await startHouse(binary);
  const sayAll = async (say: readonly (() => Promise<void>)[]): Promise<void> => {
    for (let at = 0; at < say.length; at += AT_ONCE) await Promise.all(say.slice(at, at + AT_ONCE).map((one) => one()));
  };
  const devices = async (): Promise<Map<string, Device>> =>
    new Map((await house.hub.get<Device[]>("/devices")).map((one) => [one.id, one]));
  await sayAll(
    all.map(({ t, id, topic }) => () => {
      const device = { identifiers: [id], name: id };
      const config = { unique_id: id, name: "made", state_topic: topic, value_template: t, device };
      return house.say(`homeassistant/sensor/${id}/config`, config, true);
    }),
  );
  const areThere = async (): Promise<boolean> => (await devices()).size >= all.length;
  await until("all are announced", areThere, { timeoutMs: 30_000, everyMs: 200 }).catch(() => {});
  for (let round = 0; ; round++) {
    const now = all.flatMap(({ cases, id, topic }) => cases.slice(round, round + 1).map((one) => ({ id, topic, one })));
    if (now.length === 0) return counts;
    await sayAll(
      now.map(
        ({ topic, one }) =>
          () =>
            house.say(topic, one.ctx.value),
      ),
    );
    let known = await devices();
    const right = ({ id, one }: (typeof now)[number]): boolean => has(known.get(id), one);
    const settled = async (): Promise<boolean> => {
      known = await devices();
      return now.every(right);
    };
    await until("all are right", settled, { timeoutMs: 10_000, everyMs: 100 }).catch(() => {});
    for (const each of now)
      counts.add(
        right(each),
        () =>
          `${each.one.t.slice(0, 200)}: ${JSON.stringify({ want: each.one.want, got: known.get(each.id)?.attributes })}`,
      );
  }
}

/** An attribute that is null is none. What a template fits into Home Assistant's 255 characters is whole here. */
function has(device: Device | undefined, { t, want }: Case): boolean {
  const text = (want ?? "").trim();
  const isShortened = t.includes("truncate(254") && text.length >= 250;
  const values = Object.values(device?.attributes ?? {});
  if (text === "None") return device !== undefined && values.every((got) => got === null || got === "None");
  return values.some((got) => {
    const made = str(fromJson(got as Json));
    return made === text || (typeof got === "number" && got === Number(text)) || (isShortened && made.startsWith(text));
  });
}
