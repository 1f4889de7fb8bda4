// Icons that only what is opened later has, with all others.

import { CircleHelp, EyeOff, Puzzle, SkipForward, Star, Zap } from "lucide-preact";
import type { IconName } from "../model/device/icon-name.ts";
import { Icon } from "./icon.tsx";

const MORE = { bolt: Zap, hide: EyeOff, plugin: Puzzle, skip: SkipForward, star: Star, unknown: CircleHelp } as const;

export type AnyIconName = IconName | keyof typeof MORE;

const isMore = (name: AnyIconName): name is keyof typeof MORE => Object.hasOwn(MORE, name);

/** Says nothing to screen readers: the text beside it does. */
export function AnyIcon({ name, size = 20 }: { name: AnyIconName; size?: number }) {
  if (!isMore(name)) return <Icon name={name} size={size} />;
  const Shape = MORE[name];
  return <Shape size={size} aria-hidden="true" />;
}
