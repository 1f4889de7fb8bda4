// Every icon of the page, under a name of our own: only these are in the bundle.
import {
  Activity,
  Battery,
  Bell,
  Blinds,
  Braces,
  CircleHelp,
  DoorOpen,
  Droplets,
  Fan,
  Gauge,
  House,
  Lightbulb,
  Lock,
  Menu,
  Pencil,
  PersonStanding,
  Plug,
  Power,
  Puzzle,
  Radio,
  Settings2,
  Sparkles,
  Thermometer,
  Timer,
  ToggleLeft,
  TriangleAlert,
  Workflow,
} from "lucide-preact";

const ICONS = {
  activity: Activity,
  alert: TriangleAlert,
  battery: Battery,
  bell: Bell,
  blinds: Blinds,
  button: Radio,
  door: DoorOpen,
  fan: Fan,
  gauge: Gauge,
  house: House,
  humidity: Droplets,
  light: Lightbulb,
  lock: Lock,
  menu: Menu,
  mode: Settings2,
  motion: PersonStanding,
  pencil: Pencil,
  plug: Plug,
  plugin: Puzzle,
  power: Power,
  scene: Sparkles,
  switch: ToggleLeft,
  temperature: Thermometer,
  timer: Timer,
  unknown: CircleHelp,
  variable: Braces,
  workflow: Workflow,
} as const;

export type IconName = keyof typeof ICONS;

/** Says nothing to screen readers: the text beside it does. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const Shape = ICONS[name];
  return <Shape size={size} aria-hidden="true" />;
}
