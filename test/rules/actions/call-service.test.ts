import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createHouse, type House } from "../support/host.ts";
import { problemsIn } from "../support/read.ts";
import { createActor } from "../support/scope.ts";

const url = "https://user:geheim@pi.local:8443/bot123456:SECRET/send?token=geheim";
const call = (fields: JsonObject = {}): JsonObject => ({ type: "call_service", url, ...fields });

function begin(house: House, fields: JsonObject) {
  const actor = createActor(house, { expressions: { body: () => ({ t: "21 °C" }) } });
  const end = actor.act(call(fields)).then(String, (error: Error) => `failed: ${error.message}`);
  return { actor, end };
}

describe("call_service", () => {
  test.each<[JsonObject, JsonObject, string | undefined]>([
    [{ body: { t: "21 °C 🔥" } }, { "content-type": "application/json" }, '{"t":"21 °C 🔥"}'],
    [{ body: [1] }, { "content-type": "application/json" }, "[1]"],
    [{ body: "plain °" }, {}, "plain °"],
    [{ body: { a: 1 }, headers: { "Content-Type": "text/x" } }, { "Content-Type": "text/x" }, '{"a":1}'],
    [{ expression: "body" }, { "content-type": "application/json" }, '{"t":"21 °C"}'],
    [{}, {}, undefined],
  ])("sends %j", async (fields, headers, body) => {
    const house = createHouse();
    expect(await begin(house, { ...fields, timeout_secs: 3 }).end).toBe("POST pi.local:8443 answered 200");
    expect(house.done.requests).toEqual([{ url, method: "POST", headers: headers as never, body, timeoutMs: 3000 }]);
  });

  test("any other status is a failure, and the text does not contain the address, which may contain a secret", async () => {
    const house = createHouse();
    house.answers.push({ status: 404, body: "no" }, new Error(`cannot connect to ${url}`));
    expect(await begin(house, { method: "get" }).end).toBe("failed: GET pi.local:8443 answered 404");
    expect(await begin(house, {}).end).toBe(
      "failed: POST pi.local:8443 did not answer: cannot connect to pi.local:8443",
    );
  });

  test("retries without a response, with a growing backoff", async () => {
    const house = createHouse();
    house.answers.push(
      new Error("down"),
      { status: 503, body: "" },
      { status: 429, body: "" },
      { status: 204, body: "" },
    );
    const { end } = begin(house, { retries: 3 });
    const counts: number[] = [];
    for (const ms of [999, 1, 1999, 1, 3999, 1]) {
      await house.clock.advance(ms);
      counts.push(house.done.requests.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4]);
    expect(await end).toBe("POST pi.local:8443 answered 204");
  });

  test("gives up after its retries, and does not retry when that cannot help", async () => {
    const house = createHouse();
    house.answers.push(new Error("down"), new Error("down"));
    const { end } = begin(house, { retries: 1 });
    await house.clock.advance(1000);
    expect(await end).toBe("failed: POST pi.local:8443 did not answer after 2 tries: down");
    house.answers.push({ status: 400, body: "" });
    expect(await begin(house, { retries: 5 }).end).toBe("failed: POST pi.local:8443 answered 400");
    expect(house.done.requests).toHaveLength(3);
  });

  test("cancelling the backoff ends the retries", async () => {
    const house = createHouse();
    house.answers.push({ status: 500, body: "" });
    const { actor, end } = begin(house, { retries: 5 });
    await house.clock.advance(500);
    actor.cancel();
    expect(await end).toBe("failed: POST pi.local:8443 answered 500");
    expect(house.done.requests).toHaveLength(1);
  });

  test.each<[{ status: number; body: string } | Error, JsonObject]>([
    [
      { status: 200, body: '{"t":"21 °C"}' },
      { ok: true, status: 200, body: { t: "21 °C" } },
    ],
    [
      { status: 200, body: "plain 🔥" },
      { ok: true, status: 200, body: "plain 🔥" },
    ],
    [
      { status: 500, body: "" },
      { ok: false, status: 500, body: "" },
    ],
    [new Error("down"), { ok: false, error: "POST pi.local:8443 did not answer: down" }],
  ])("emits the response as an event: %#", async (answer, fields) => {
    const house = createHouse();
    house.answers.push(answer);
    await begin(house, { response_event: "weather" }).end;
    expect(house.done.events).toEqual([{ type: "custom_weather", source: "rule", rule_id: "rule-1", ...fields }]);
  });

  test.each<[JsonObject, string]>([
    [{ url: "pi.local/x" }, "url: must be an address such as http://192.168.1.20/api"],
    [{ url: "file:///etc/passwd" }, "url: must be an address such as http://192.168.1.20/api"],
    [{ method: "GET", body: 1 }, "body: cannot be sent with GET: use POST, or leave it out"],
    [{ method: "HEAD", expression: "1" }, "expression: cannot be sent with HEAD: use POST, or leave it out"],
    [{ body: 1, expression: "1" }, ": give either `body` or `expression`"],
    [{ retries: 11 }, "retries: must be a whole number from 0 to 10"],
    [
      { timeout_secs: 0 },
      'timeout_secs: must be a number of seconds from 0.1 to 300, or a duration such as "5m" or "1h30m"',
    ],
    [{ headers: { a: 1 } }, "headers.a: must be text"],
  ])("refuses %j", (fields, problem) => {
    expect(problemsIn("actions", call(fields))).toEqual([problem]);
  });
});
