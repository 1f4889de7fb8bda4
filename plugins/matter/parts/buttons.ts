// Buttons of a remote or a wall switch, each a switch of its own: pressed once, several times, held and let go, as Matter reports them.
// What is no press of a button, such as a turn to the left, is a button of that name which is pressed once.
import type { Endpoint, EndpointType } from "@matter/main";
import { DescriptorServer } from "@matter/main/behaviors/descriptor";
import { SwitchServer } from "@matter/main/behaviors/switch";
import { GenericSwitchDevice } from "@matter/main/devices/generic-switch";
import type { HubDevice } from "../hub.ts";
import { isThermostat } from "./climate.ts";
import { describedAs, optionsOf, type Part } from "./part.ts";
import { type Press, pressIn } from "./presses.ts";

/** A cube or a lock may have a hundred actions; each button costs memory, and the other app a line. */
const MAX_BUTTONS = 20;
const CUSTOM_SWITCH = { mfgCode: null, namespaceId: 0x43, tag: 8 };
const PRESSED = 1;

const Tagged = GenericSwitchDevice.with(DescriptorServer.with("TagList"));
const once = ["MomentarySwitch", "MomentarySwitchRelease"] as const;
const TYPES = {
  once: Tagged.with(SwitchServer.with(...once)),
  held: Tagged.with(SwitchServer.with(...once, "MomentarySwitchLongPress")),
  often: Tagged.with(SwitchServer.with(...once, "MomentarySwitchMultiPress")),
  "often held": Tagged.with(SwitchServer.with(...once, "MomentarySwitchMultiPress", "MomentarySwitchLongPress")),
};

/** None for a device that does not say which presses it has. */
export function buttonsOf(device: HubDevice): Part[] {
  // What a thermostat calls so is whether it heats, and a lock, who has opened it.
  if (isThermostat(device) || device.device_type === "lock") return [];
  if (describedAs(device, "action")?.word !== undefined) return [];
  // `recall_*` stands for names that nobody knows.
  const known = optionsOf(device, "action").filter((action) => !action.includes("*"));
  const buttons = Map.groupBy(
    known.flatMap((action) => pressIn(action, known) ?? []),
    ({ button }) => button,
  );
  return [...buttons].slice(0, MAX_BUTTONS).map(([button, presses]) => buttonPart(button, { presses, known }));
}

function buttonPart(button: string, of: { presses: readonly Press[]; known: readonly string[] }): Part {
  const most = Math.max(1, ...of.presses.map(({ times }) => times));
  const isHeld = of.presses.some(({ kind }) => kind === "held");
  const isLetGo = of.presses.some(({ kind }) => kind === "let go");
  const features = most > 1 ? (isHeld ? "often held" : "often") : isHeld ? "held" : "once";
  let holding = false;
  return {
    id: `button_${button.replace(/[^A-Za-z0-9_-]/g, "-")}`,
    features: `${features} ${most}`,
    type: TYPES[features] as Part["type"] & EndpointType,
    fixed: {
      switch: { numberOfPositions: 2, currentPosition: 0, ...(most > 1 && { multiPressMax: most }) },
      descriptor: { tagList: [{ ...CUSTOM_SWITCH, label: button.slice(0, 64) }] },
    },
    values: () => ({}),
    async press(endpoint, action) {
      const press = pressIn(action, of.known);
      if (press?.button !== button) return;
      const wasHeld = holding;
      holding = press.kind === "held" && isLetGo;
      // Also where that it was let go has been lost.
      const events: Happened[] = wasHeld && press.kind !== "held" ? [LET_GO] : [];
      if (press.kind === "pressed") events.push(...pressed(press.times, most > 1));
      // Some report again and again that they are held.
      if (press.kind === "held" && !wasHeld) events.push(...HELD, ...(isLetGo ? [] : [LET_GO]));
      await emit(endpoint, events);
    },
  };
}

type Happened = readonly [name: string, payload: Record<string, number>];

const HELD: readonly Happened[] = [
  ["initialPress", { newPosition: PRESSED }],
  ["longPress", { newPosition: PRESSED }],
];
const LET_GO: Happened = ["longRelease", { previousPosition: PRESSED }];

/** In the order that Matter asks for. */
function pressed(times: number, reportsOften: boolean): Happened[] {
  const events = Array.from({ length: times }, (_, index): Happened[] => [
    ["initialPress", { newPosition: PRESSED }],
    ...(index === 0
      ? []
      : [["multiPressOngoing", { newPosition: PRESSED, currentNumberOfPressesCounted: index + 1 }] as const]),
    ["shortRelease", { previousPosition: PRESSED }],
  ]).flat();
  const complete = { previousPosition: PRESSED, totalNumberOfPressesCounted: times };
  return reportsOften ? [...events, ["multiPressComplete", complete]] : events;
}

async function emit(endpoint: Endpoint, happened: readonly Happened[]): Promise<void> {
  await endpoint.act("a button is used", ({ context }) => {
    const events = endpoint.eventsOf("switch") as unknown as Record<string, Emitting | undefined>;
    for (const [name, payload] of happened) events[name]?.emit(payload, context);
  });
}

interface Emitting {
  emit(payload: Record<string, number>, context: unknown): void;
}
