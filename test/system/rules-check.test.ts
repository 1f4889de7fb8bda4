// `hub check` on rule files: what it says, where, and how it ends.
import { describe, expect, test } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";

const GOOD = '(name: "Good", trigger: CustomEvent(event_type: "shout"), actions: [LogMessage(message: "heard")])\n';

describe("hub check", () => {
  test("says that all is well, and how much it was", async () => {
    await using place = createHubPlace();
    place.put("rules/a.ron", GOOD);
    place.put("rules/b.toml", 'name = "B"\n[[actions]]\ntype = "comment"\ntext = "x"\n');
    const { code, stdout, stderr } = await place.run(["check"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("is valid, and so are 2 rule files");
    expect(place.read("rules/a.ron")).toBe(GOOD);
  });

  test("reports every problem as file:line:column with its lines; a warning alone is no failure", async () => {
    await using place = createHubPlace();
    place.put("rules/warn.ron", `(name: "Warn", actions: [SetDeviceState(device_id: "lamp", state: (on: true))])`);
    (await place.start()).kill("SIGTERM");
    const warned = await place.run(["check"]);
    expect(warned.code).toBe(0);
    expect(warned.stderr).toMatch(
      /rules\/warn\.ron:\d+:\d+: warning: actions\[0\]\.device_id: there is no device "lamp"/,
    );
    place.put("rules/a.ron", '(\n  name: "A °😀", trigger: Cron(expression: "* * * *"),\n  actions: [Delay(-1)],\n)\n');
    place.put("rules/b.toml", 'name = "B"\nname = "C"\n');
    place.put("rules/c.ron", `(name: "C", conditions: [Expression(expression: "current_hour( > 3")], actions: [])`);
    const { code, stdout, stderr } = await place.run(["check"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/rules\/a\.ron:2:31: trigger\.expression: the cron expression needs six fields/);
    expect(stderr).toMatch(/rules\/a\.ron:3:19: actions\[0\]\.duration_secs: must be/);
    expect(stderr).toMatch(/rules\/b\.toml:2:1: /);
    expect(stderr).toMatch(/rules\/c\.ron:1:\d+: conditions\[0\]\.expression: /);
    expect(stderr).toContain("> 2 |");
    expect(stderr).toMatch(/the rules have 4 problems/);
  });
});
