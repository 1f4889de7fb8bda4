// A defect for each campaign, which it has to find.

export interface Defect {
  name: string;
  /** Whose campaign has to find it. */
  campaign: string;
  file: string;
  /** Is there once. */
  find: string;
  put: string;
  /** What the campaign says of it. */
  says: RegExp;
}

export const DEFECTS: readonly Defect[] = [
  {
    name: "lost-write",
    campaign: "kills",
    file: "src/house/state/variables.ts",
    find: "for (const { name, value, updatedAt } of variables) upsert.run(name, JSON.stringify(value), updatedAt);",
    put: "for (const { name, value, updatedAt } of variables)\n      if (updatedAt % 3 !== 0) upsert.run(name, JSON.stringify(value), updatedAt);",
    says: /kill\.test.*variable/,
  },
  {
    name: "double-message",
    campaign: "kills",
    file: "src/reach/notify/outbox/store.ts",
    find: 'if (message.state === "gone") remove.run(id);',
    put: 'if (message.state === "gone") void (messages.length % 3 === 1 || remove.run(id));',
    says: /kill/,
  },
  {
    name: "confirmed-too-early",
    campaign: "takeovers",
    file: "src/copies/standby/source/confirmations.ts",
    find: "      waiting.add(one);\n",
    put: "      waiting.add(one);\n      end(true);\n",
    says: /acknowledged and lost/,
  },
  {
    name: "two-hubs-at-once",
    campaign: "takeovers",
    file: "src/copies/standby/lease/lease-holder.ts",
    find: "    if (now < leaseUntil || now < aloneUntil) return true;",
    put: "    if (now < leaseUntil + 9000) return true;",
    says: /beside the new hub/,
  },
  {
    name: "half-restore",
    campaign: "restores",
    file: "src/copies/backup/restore/swap.ts",
    find: "  moveAll(home, journal);\n  finish(home, journal, onPlaced);\n  return true;",
    put: "  moveAll(home, { ...journal, place: journal.place.slice(1) });\n  finish(home, journal, onPlaced);\n  return true;",
    says: /restore\.test/,
  },
  {
    name: "cut-stream",
    campaign: "streams",
    file: "src/api/http/stream/hub-stream.ts",
    find: "  function send(topic: string, text: string): void {\n",
    put: "  function send(topic: string, text: string): void {\n    if (Math.random() < 0.0005) return;\n",
    says: /\d+ of \d+ messages/,
  },
  {
    name: "viewers-admitted",
    campaign: "fuzz-http",
    file: "src/api/http/router.ts",
    find: "if (!allows(identity.role, access) && !mayAsGuest",
    put: 'if (identity.role !== "viewer" && !allows(identity.role, access) && !mayAsGuest',
    says: /for a viewer/,
  },
  {
    name: "message-lost-beside",
    campaign: "fuzz-mqtt",
    file: "src/reach/mqtt/bridge.ts",
    find: "  return function onMessage(message) {\n",
    put: "  return function onMessage(message) {\n    if (Math.random() < 0.01) return;\n",
    says: /each was answered once/,
  },
  {
    name: "hour-lived-twice",
    campaign: "year",
    file: "src/rules/schedule/cron.ts",
    find: "if (shiftMs < 0) local = Math.max(local, from + offsetBeforeMs);",
    put: "",
    says: /a-year/,
  },
  {
    name: "event-kept",
    campaign: "soak",
    file: "src/server/events/ring.ts",
    find: "    this.#head = seq;\n",
    put: "    this.#head = seq;\n    ((globalThis as { kept?: unknown[] }).kept ??= []).push([seq, ...json]);\n",
    says: /NOT FLAT/,
  },
  {
    name: "boolean-turned-round",
    campaign: "corpus",
    file: "src/house/discovery/sources/zigbee2mqtt/codecs.ts",
    find: '      if (value === null || typeof value === "boolean") return value;\n      return value === yes',
    put: '      if (typeof value === "boolean") return !value;\n      return value === yes',
    says: /FAIL values/,
  },
  {
    name: "short-escape",
    campaign: "properties",
    file: "src/rules/parse/edit/toml-blocks.ts",
    find: '.padStart(4, "0")',
    put: "",
    says: /edit\.test/,
  },
];
