import { describe, expect, test } from "bun:test";
import { isSecretName, MASK, masked, maskedText, unmasked } from "../../../src/kit/text/masking.ts";

describe("names of secrets", () => {
  test.each([
    "pin",
    "PIN",
    "pin_code",
    "pinCode2",
    "code",
    "codes",
    "userCode",
    "action_code",
    "alarm_code",
    "lock-code",
  ])("%s is one", (name) => expect(isSecretName(name)).toBe(true));
  test.each(["password", "wifi_password", "access_token", "api_key", "apiKey", "client_secret", "Authorization"])(
    "%s is one",
    (name) => expect(isSecretName(name)).toBe(true),
  );
  test.each(["error_code", "country_code", "ir_code_to_send", "spinning", "opinion", "passage", "key", "keypad", "on"])(
    "%s is none",
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe("a value", () => {
  test("is the same value if it has no secret", () => {
    const plain = { on: true, level: [1, { unit: "lx" }], pin_required: true, code: null };
    expect(masked(plain)).toBe(plain);
    expect(
      masked({ state: "UNLOCK", code: "1234", users: { "1": { name: "Ann", pin: 77 } }, list: [{ token: "x" }] }),
    ).toEqual({
      state: "UNLOCK",
      code: MASK,
      users: { "1": { name: "Ann", pin: MASK } },
      list: [{ token: MASK }],
    } as never);
  });

  test("may name its secret in another field", () => {
    expect(masked({ attribute: "action_code", value: "1234", previous: null, device_id: "keypad" })).toEqual({
      attribute: "action_code",
      value: MASK,
      previous: null,
      device_id: "keypad",
    } as never);
    expect(masked({ name: "alarm_pin", value: 1, previous_value: 2 })).toEqual({
      name: "alarm_pin",
      value: MASK,
      previous_value: MASK,
    } as never);
  });

  test("that comes back masked keeps the previous value", () => {
    const held = { door: { state: "LOCK", code: "1234" }, lamp: { on: true } };
    expect(unmasked({ door: { state: "UNLOCK", code: MASK }, lamp: { on: false } }, held)).toEqual({
      door: { state: "UNLOCK", code: "1234" },
      lamp: { on: false },
    });
    expect(unmasked({ other: { code: MASK } }, held)).toEqual({ other: { code: MASK } });
  });
});

test.each([
  ['front_door {"state":"UNLOCK","pin_code":"1234"}', `front_door {"state":${MASK},"pin_code":${MASK}}`],
  ['keypad.action_code to "12\\"34"', `keypad.action_code to ${MASK}`],
  ["device('keypad').action_code == '1234'", `device(${MASK}).action_code == ${MASK}`],
  ['door {"code":"12…', `door {"code":${MASK}`],
  ["code is 1234", `code is ${MASK}`],
  ['hall_lamp {"on":true,"level":42}', 'hall_lamp {"on":true,"level":42}'],
])("the text %s", (text, shown) => {
  expect(maskedText(text)).toBe(shown);
});
