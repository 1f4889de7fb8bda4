// How a command of Matter went: by what the hub answers, and by what is learned of the device soon after.
import { expect, test } from "bun:test";
import { createAnswers, HubRefusal } from "../../plugins/matter/answers.ts";

const never = () => new Promise<void>(() => {});
const sent = async (): Promise<string> => "c1";

test("a device that reports, or of which nothing is seen, has obeyed", async () => {
  const answers = createAnswers(never);
  const obeyed = answers.after("lamp", sent);
  answers.reported("other");
  answers.reported("lamp");
  expect(await obeyed).toBeUndefined();
  expect(await createAnswers(async () => {}).after("lamp", sent)).toBeUndefined();
});

test("a refusal that is received before the hub's own answer, or after it, fails the command", async () => {
  const answers = createAnswers(never);
  const before = answers.after("pump", async () => {
    answers.failed("pump", "c1", "it runs dry");
    return "c1";
  });
  await expect(before).rejects.toEqual(new HubRefusal("it runs dry", 409));
  const after = answers.after("pump", sent);
  answers.failed("pump", "c1", "it runs dry");
  await expect(after).rejects.toThrow("it runs dry");
});

test("another command's refusal is not this one's", async () => {
  const answers = createAnswers(never);
  const obeyed = answers.after("pump", sent);
  answers.failed("pump", "c0", "it ran dry before");
  expect(await obeyed).toBeUndefined();
});

test("what the hub refuses is its refusal", async () => {
  const refusing = () => Promise.reject(new HubRefusal("not available", 409));
  await expect(createAnswers(never).after("lamp", refusing)).rejects.toThrow("not available");
});
