// Webhook calls: which rules they trigger, and that the secret does not leave the engine.
import { expect, test } from "bun:test";
import { openRulesRig } from "../../store/rig.ts";

const [first, second] = ["the first rule's secret", "the second rule's secret"];
const hook = (name: string, secret: string): string => `(id: "${name}", name: "${name}",
  trigger: WebhookReceived(path: "bell", secret: "${secret}"), actions: [FireEvent(event_type: "rung")])`;
const call = { path: "bell", method: "POST", query: { a: "1" }, body: { button: "front" } };

test("of several rules with one path, only those with the given secret fire", async () => {
  await using rig = await openRulesRig({ "a.ron": hook("a", first), "b.ron": hook("b", second) });
  expect(rig.rules.call({ ...call, secret: "neither" })).toBe(false);
  expect(rig.rules.call({ ...call, path: "other", secret: first })).toBe(false);
  expect(rig.rules.call({ ...call, secret: "" })).toBe(false);
  expect(rig.fired()).toEqual([]);
  expect(rig.rules.call({ ...call, secret: second })).toBe(true);
  expect(rig.fired()).toEqual(["b"]);
  rig.rules.putText("b", hook("b", first));
  expect(rig.rules.call({ ...call, secret: second })).toBe(false);
  expect(rig.rules.call({ ...call, secret: first })).toBe(true);
  expect(rig.fired()).toEqual(["b", "a", "b"]);
  rig.rules.remove("a");
  rig.rules.patch("b", { enabled: false });
  expect(rig.rules.call({ ...call, secret: first })).toBe(false);
});

test("no event, trace or log contains the secret, also if another rule waits for the call", async () => {
  const waiting = `(id: "w", name: "w", trigger: CustomEvent(event_type: "shout"), actions: [
    WaitForEvent(event_type: "webhook_received", fields: {"path": "bell"}, timeout_secs: 60), LogMessage(message: "came")])`;
  await using rig = await openRulesRig({ "a.ron": hook("a", first), "w.ron": waiting });
  await rig.shout();
  rig.rules.call({ ...call, secret: first });
  await rig.clock.advance(0);
  expect(rig.rules.traces("w")[0]?.actions.map(({ result }) => result)).toEqual(["ok", "ok"]);
  const [event] = rig.events.filter(({ type }) => type === "webhook_received");
  expect(event).toMatchObject(call);
  const everything = JSON.stringify([rig.events, rig.rules.traces("a"), rig.rules.traces("w"), rig.warnings]);
  expect(everything).not.toContain(first);
});
