// The state messages of the load. Each differs from the one before in one attribute; the events they cause are all of
// one length, about 400 bytes.
import type { Message } from "./mqtt-publisher.ts";

const FIRST = 1_000_000;
const FILLING = "a lamp in the hall, on the left behind the door";

export function stateMessage(deviceId: string, number: number): Message {
  const payload = `{"counter":${FIRST + number},"on":true,"brightness":254,"power_w":12.5,"name":"${FILLING}"}`;
  return { topic: `hub/devices/${deviceId}/state`, payload };
}

const MARK = Buffer.from('"counter":');

/** The number of the message behind an event, or behind its bare payload. */
export function numberIn(text: Buffer): number {
  const at = text.lastIndexOf(MARK) + MARK.length;
  let number = 0;
  for (let index = at; index < at + 7; index++) number = number * 10 + (text[index] ?? 48) - 48;
  return number - FIRST;
}

const SEQ = Buffer.from('"seq":');

export function seqIn(text: Buffer): number {
  return Number.parseInt(text.toString("latin1", text.indexOf(SEQ) + SEQ.length, text.indexOf(SEQ) + 26), 10);
}
