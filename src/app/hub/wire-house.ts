// Wires the house: devices with their restored state, history, timers and modes, areas, scenes, variables.
import type { Discovery } from "../../house/discovery/discovery.ts";
import { disabledHistory, startHistory } from "../../house/history/history.ts";
import { historyWorker } from "../../house/history/worker-client.ts";
import { openAreas } from "../../house/state/areas.ts";
import { startBatteryWatch } from "../../house/state/battery.ts";
import { type Refusal, refusalIn, startCommandWatch } from "../../house/state/commands/command-watch.ts";
import { type Commands, createCommands } from "../../house/state/commands/commands.ts";
import { openScenes } from "../../house/state/commands/scenes.ts";
import { isMinor } from "../../house/state/device.ts";
import { openGuests } from "../../house/state/guests.ts";
import { openLayouts } from "../../house/state/layouts.ts";
import { passwordsOfDevice } from "../../house/state/passwords.ts";
import { openRegistry } from "../../house/state/registry.ts";
import { openRenamedAttributes } from "../../house/state/renamed-attributes.ts";
import { createSampling } from "../../house/state/sampling.ts";
import { openVariables } from "../../house/state/variables.ts";
import { openVirtualDevices } from "../../house/state/virtual/virtual-devices.ts";
import { createZone } from "../../kit/time/zone.ts";
import type { Mqtt } from "../../reach/mqtt/start.ts";
import type { Latencies } from "./latencies.ts";
import { openReadings } from "./open-readings.ts";
import type { HubOptions } from "./options.ts";
import type { PartStarter } from "./start/part-starter.ts";
import type { Port } from "./start/port.ts";
import type { Stores } from "./wire-stores.ts";

const CHECK_INTERVAL_MS = 10_000;

export type House = ReturnType<typeof wireHouse>;

/** State that is restored emits no events. */
export function wireHouse(
  options: HubOptions,
  { db, feed, budget, limits, trouble }: Stores,
  {
    mqtt,
    discovery,
    starter,
    latencies,
    stack,
  }: {
    mqtt: Port<Mqtt>;
    discovery: Port<Discovery>;
    starter: PartStarter;
    latencies: Latencies;
    stack: AsyncDisposableStack;
  },
) {
  const { config, home, platform } = options;
  const { clock, notices, random } = platform;
  const log = options.log.child("state");
  const { emit } = feed;
  const writing = { db, clock, log, emit, flushSecs: config.storage.flush_secs, budget };
  const journal = openReadings({ ...writing, stateDb: home.stateDb }, stack);
  const sampling = stack.use(createSampling({ clock, budget }));
  const renamed = stack.use(openRenamedAttributes(writing));
  const registry = stack.use(
    openRegistry({
      ...{ ...writing, journal, sampling, config: config.devices, limits, onRenamed: renamed.add },
      areaIdOf: (text, by) => (by === "person" ? areas.idOf(text) : areas.likelyIdOf(text)),
    }),
  );
  const areas = openAreas({ db, registry, clock });
  stack.use(registry.onRemoved("renamed attributes", ({ id }) => renamed.forget(id)));
  const zone = createZone(config.location.timezone);
  const openHistory = () =>
    startHistory({
      path: home.historyDb,
      config: config.history,
      flushSecs: config.storage.flush_secs,
      clock,
      log: options.log.child("history"),
      random,
      feed,
      limits,
      timezone: config.location.timezone,
      ...{ journal, renamed },
      mayWrite: budget.allows,
      admitted: sampling.admitted,
      worker: historyWorker(),
      devices: () => [...registry.list()].map(({ id }) => id),
      isMinor: (id, attribute) => isMinor(registry.find(id), attribute),
      isHidden: (id) => registry.find(id)?.recorded === false,
      *passwords() {
        for (const { id: deviceId, details } of registry.list())
          for (const attribute of passwordsOfDevice(details)) yield { deviceId, attribute };
      },
      onStorageFault: trouble.noteFault,
    });
  const history = stack.use(
    starter.beginUnlessOff("history", openHistory) ?? disabledHistory(zone, starter.refusal("history")),
  );
  sampling.onDue((id, attributes) => {
    for (const { at, changed, current } of registry.recordNow(id, attributes))
      history.record({ device_id: id, changed, current }, at);
  });
  const virtual = stack.use(
    openVirtualDevices({
      ...{ registry, db, clock, notices, log, emit, feed },
      location: config.location,
      zone,
      modesFile: home.modesToml,
      deliver: (...command) => commands.deliver(...command),
    }),
  );
  const timeoutSecs = config.devices.command_timeout_secs;
  const onAnswered = latencies.commands.observe;
  const watch = stack.use(startCommandWatch({ registry, clock, log, emit, timeoutSecs, onAnswered }));
  const commands: Commands = createCommands({
    registry,
    clock,
    random,
    emit,
    dispatch(id, payload) {
      const { _hc, ...wanted } = payload;
      return discovery.now?.owns(id) ? discovery.now.command(id, wanted) : mqtt.get().command(id, payload);
    },
    reaches: ({ id, pluginId }) =>
      discovery.now?.owns(id) ? mqtt.get().isConnected(pluginId) : mqtt.get().takesCommands(id, pluginId),
    watch,
    epoch: epochOf(options),
    prepare: virtual.prepare,
  });
  stack.use(feed.on("custom_command_refused", "command answers", ({ event }) => watch.refused(refusalIn(event))));
  stack.use(startBatteryWatch({ feed, registry, db, config: config.battery, clock, log, emit }));
  return {
    journal,
    registry,
    sampling,
    renamed,
    history,
    virtual,
    commands,
    commandWatch: { refused: (refusal: Refusal): void => watch.refused(refusal) },
    areas,
    scenes: openScenes({ db, registry, commands, clock, random, log, emit }),
    variables: stack.use(openVariables(writing)),
    layouts: openLayouts(db),
    guests: openGuests(db),
  };
}

/** A machine may pair with a hub that runs; whether one has is looked up on the disk, and so not for each command. */
function epochOf(options: Pick<HubOptions, "standing" | "platform">): () => number | undefined {
  const { clock } = options.platform;
  let { standing } = options;
  let lookedAt = clock.mono();
  return () => {
    if (!standing && clock.mono() - lookedAt >= CHECK_INTERVAL_MS) {
      lookedAt = clock.mono();
      ({ standing } = options);
    }
    return standing?.epoch;
  };
}
