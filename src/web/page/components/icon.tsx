// Every icon of the page, under a name of our own: only these are in the bundle.
import {
  Activity,
  ArrowDown,
  ArrowUp,
  Battery,
  Blinds,
  Check,
  CircleHelp,
  DoorOpen,
  Droplets,
  Fan,
  Gauge,
  House,
  Lightbulb,
  Lock,
  Menu,
  PersonStanding,
  Plug,
  Power,
  Radio,
  Settings2,
  SkipForward,
  Thermometer,
  Timer,
  ToggleLeft,
  TriangleAlert,
  Workflow,
  X,
  Zap,
} from "lucide-preact";

const ICONS = {
  activity: Activity,
  alert: TriangleAlert,
  battery: Battery,
  blinds: Blinds,
  bolt: Zap,
  button: Radio,
  check: Check,
  cross: X,
  door: DoorOpen,
  down: ArrowDown,
  fan: Fan,
  gauge: Gauge,
  house: House,
  humidity: Droplets,
  light: Lightbulb,
  lock: Lock,
  menu: Menu,
  mode: Settings2,
  motion: PersonStanding,
  plug: Plug,
  power: Power,
  skip: SkipForward,
  switch: ToggleLeft,
  temperature: Thermometer,
  timer: Timer,
  unknown: CircleHelp,
  up: ArrowUp,
  workflow: Workflow,
} as const;

export type IconName = keyof typeof ICONS;

/** Says nothing to screen readers: the text beside it does. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const Shape = ICONS[name];
  return <Shape size={size} aria-hidden="true" />;
}
