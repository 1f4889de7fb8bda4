// The devices of the house. A new kind is one file in devices/ and one line here.
import { door } from "./devices/door.ts";
import { leakSensor } from "./devices/leak-sensor.ts";
import { plainLight, tunableLight } from "./devices/light.ts";
import { motionSensor } from "./devices/motion-sensor.ts";
import { thermostat } from "./devices/thermostat.ts";
import { type House, type Simulated, simulate } from "./simulated.ts";

export interface Furniture {
  lights: readonly Simulated[];
  leakSensor: Simulated;
  /** The devices with a battery. */
  sensors: readonly Simulated[];
  all: readonly Simulated[];
}

const ROOMS = ["Living room", "Kitchen", "Bedroom", "Hallway", "Bathroom", "Office", "Children's room", "Cellar"];

export function furnish(house: House): Furniture {
  const id = (name: string) => `${house.plugin.id}_${name}`;
  const lights = lightNames(house.plugin.config.lights).map(({ slug, name, area }, at) => {
    const place = { id: id(`light_${slug}`), name, area };
    // Every second light has a colour temperature.
    return at % 2 === 0
      ? simulate(house, { ...place, kind: tunableLight })
      : simulate(house, { ...place, kind: plainLight });
  });
  const climate = simulate(house, { id: id("thermostat"), name: "Thermostat", area: "Living room", kind: thermostat });
  const leak = simulate(house, { id: id("leak_sensor"), name: "Leak sensor", area: "Bathroom", kind: leakSensor });
  const sensors = [
    simulate(house, { id: id("front_door"), name: "Front door", area: "Entrance", kind: door }),
    simulate(house, { id: id("motion_sensor"), name: "Motion sensor", area: "Hallway", kind: motionSensor }),
    leak,
  ];
  return { lights, leakSensor: leak, sensors, all: [...lights, climate, ...sensors] };
}

/** One light in each room, then a second one in each, and so on. */
export function lightNames(count: number): { slug: string; name: string; area: string }[] {
  return Array.from({ length: count }, (_, at) => {
    const area = ROOMS[at % ROOMS.length] ?? "House";
    const round = Math.floor(at / ROOMS.length) + 1;
    const slug = area.toLowerCase().replace("'", "").replaceAll(" ", "_");
    return round === 1
      ? { slug, name: `${area} light`, area }
      : { slug: `${slug}_${round}`, name: `${area} light ${round}`, area };
  });
}
