import { describe, expect, test } from "bun:test";
import { readBody } from "../../../src/api/http/body.ts";

const request = (body: string): Request => new Request("http://hub/", { method: "POST", body });

describe("a request's body", () => {
  test("is read as JSON, whatever the case of its type", async () => {
    expect(await readBody(request('{"a":[1]}'), "application/json")).toEqual({ a: [1] });
    expect(await readBody(request("true"), "Application/JSON")).toBe(true);
  });

  test("that is empty is null, and one without a type is not read", async () => {
    expect(await readBody(request(""), "application/json")).toBeNull();
    expect(await readBody(request("x"), "")).toBeNull();
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])(
    "of type %s is refused",
    (type) =>
      expect(readBody(request("password=secret"), type)).rejects.toMatchObject({ code: "unsupported_media_type" }),
  );

  test.each([
    ["no JSON", "{", "not valid JSON"],
    ["too deep", "[".repeat(100_000), "nested deeper than 32 levels"],
    ["a reach into prototypes", '{"a":{"__proto__":{}}}', "__proto__"],
  ])("that is %s is refused", (_name, body, words) =>
    expect(readBody(request(body), "application/json")).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(words),
    }),
  );
});
