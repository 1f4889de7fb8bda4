// One home that is used twice, and two homes that are paired with one hub.
import { until } from "../../support/wait.ts";
import { compare as check } from "../checks.ts";
import { houseOn, isReady, type Scene, secondsToTakeOver, setVariable, variable } from "./house.ts";

const REFUSED = /not the key of the house's standby.*run `hub standby --of URL` on that machine again/;

export async function startedTwice(scene: Scene): Promise<void> {
  const { say } = scene;
  await using house = await houseOn(scene);
  const { first, second } = house;
  await isReady(second);
  const { process: running } = second;
  const taken = new RegExp(`another hub \\(process ${running.pid}\\) runs in .*: stop it first`);
  for (const words of [["serve"], ["standby"]]) {
    const ran = await second.place.run(words);
    check(say(`hub ${words[0]} in the standby's home is refused`), [ran.code, taken.test(ran.stderr)], [1, true]);
  }
  const again = ["standby", "--of", first.address, "--pair-only", "--replace"];
  const stdin = `${first.place.admin?.password}\n`;
  const paired = await second.place.run(again, { stdin });
  check(say("and so is pairing it anew"), [paired.code, taken.test(paired.stderr)], [1, true]);
  const ofHub = await first.place.run(["serve"]);
  check(say("and a second hub in the hub's"), [ofHub.code, /another hub .* runs in/.test(ofHub.stderr)], [1, true]);
  await setVariable(first, "after", 1);
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'after'");
  const { role, problem, takes_over } = await second.status();
  const reason = takes_over?.includes("has the lease");
  check(say("the standby goes on copying"), [role, problem, reason], ["standby", null, true]);

  const third = house.another();
  const without = await third.place.run(again.slice(0, -1), { stdin });
  check(say("a third machine is not let in by mistake"), [without.code, /--replace/.test(without.stderr)], [1, true]);
  const asked = await third.place.run(again, { stdin });
  check(say("but where somebody says so"), [asked.code, /is the standby of/.test(asked.stderr)], [0, true]);
  await third.start();
  await isReady(third);
  const refused = async (): Promise<boolean> => REFUSED.test((await second.status()).problem ?? "");
  await until("the earlier standby says that it is refused", refused);
  await secondsToTakeOver(first, third);
  check(say("the machine that was paired last takes over"), await variable(third, "after"), 1);
  await second.process.end();
  await second.start();
  await until("the earlier one says so again", refused);
  for (const words of [["promote"], ["promote", "--force"]]) {
    const { code, stderr } = await second.standby(...words);
    check(say(`hub standby ${words.join(" ")} there says it as well`), [code, REFUSED.test(stderr)], [1, true]);
  }
  check(say("it stays what it is"), (await second.status()).role, "standby");
}
