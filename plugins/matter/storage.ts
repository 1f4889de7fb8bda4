// What Matter has to remember: pairings, keys, and the numbers of endpoints. All of it is one text in the hub's database, so that it is
// in its backups, and a house that moves to another machine keeps its pairings.
import { fromJson, MemoryStorageDriver, type StorageService, type SupportedStorageTypes, toJson } from "@matter/main";
import type { Log } from "../sdk/index.ts";
import type { Storage } from "./hub.ts";

type Kept = Record<string, Record<string, SupportedStorageTypes>>;

// What a bridged device shows comes from the hub at each start; only the numbers of its endpoints have to stay. And how many hours
// the bridge has run is of no use to anybody.
const AGGREGATOR = ["root", "parts", "aggregator"];
function isPassing(context: string): boolean {
  const path = context.split(".");
  if (context === "root.generalDiagnostics") return true;
  const below = path.slice(AGGREGATOR.length);
  // Below it are `parts.ID`, an endpoint, and `parts.ID.CLUSTER`, what it shows; an endpoint may have endpoints of its own.
  return AGGREGATOR.every((part, index) => path[index] === part) && below.length % 2 === 1;
}

/** Makes `service` keep its things in `storage`. Throws where they cannot be read. */
export async function keepIn(storage: Storage, service: StorageService, log: Log): Promise<void> {
  const text = await storage.load();
  const kept = text === undefined ? {} : (fromJson(text) as Kept);
  const writer = createWriter(storage, log);

  class HubStorage extends MemoryStorageDriver {
    static override readonly id = "hub";
    static override create(): HubStorage {
      const driver = new HubStorage(kept);
      driver.initialize();
      return driver;
    }
    override set(
      contexts: string[],
      keyOrValues: string | Record<string, SupportedStorageTypes>,
      value?: SupportedStorageTypes,
    ) {
      if (typeof keyOrValues === "string") super.set(contexts, keyOrValues, value);
      else super.set(contexts, keyOrValues);
      return this.#changed(contexts);
    }
    override delete(contexts: string[], key: string) {
      super.delete(contexts, key);
      return this.#changed(contexts);
    }
    override clearAll(contexts: string[]) {
      super.clearAll(contexts);
      return this.#changed(contexts);
    }
    #changed(contexts: string[]): Promise<void> | undefined {
      return isPassing(contexts.join(".")) ? undefined : writer.write(() => toJson(lasting(kept)));
    }
  }
  service.registerDriver(HubStorage);
  service.defaultDriver = HubStorage.id;
  service.configuredDriver = HubStorage.id;
}

function lasting(kept: Kept): Kept {
  return Object.fromEntries(Object.entries(kept).filter(([context]) => !isPassing(context)));
}

/** One write at a time; what changes meanwhile goes into the next one. */
function createWriter(storage: Storage, log: Log) {
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  return {
    write(text: () => string): Promise<void> {
      // One that failed must not keep the later ones away: they hold all of it again.
      next ??= running
        .catch(() => {})
        .then(async () => {
          next = undefined;
          running = storage.save(text()).catch((error: unknown) => {
            log.error("pairings cannot be kept", { error: String(error) });
            throw error;
          });
          await running;
        });
      return next;
    },
  };
}
