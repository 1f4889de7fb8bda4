// What a device that shows pictures reports beside them: when the last one came, and which of its pictures it is. The bytes are no
// attribute; whoever keeps pictures gets them.

import { matchesFilter } from "../../kit/text/topic-filter.ts";
import type { Attribute, DescribedDevice, PictureTopic } from "./described.ts";

export const PICTURE_AT = "picture_at";
export const PICTURE_OF = "picture_of";

/** A message of more bytes is nothing but a picture. */
export const MAX_BESIDE = 65_536;

// Diagnostic: no history of them is kept, as each picture is a change.
const AT: Attribute = {
  ...{ name: PICTURE_AT, type: "string", class: "timestamp", category: "diagnostic", readable: true, writable: false },
  description: "When its last picture came",
};
const OF: Attribute = {
  ...{ name: PICTURE_OF, type: "string", category: "diagnostic", readable: true, writable: false },
  description: "Which of its pictures that is",
};

/** Of a device with these pictures. */
export function pictureAttributes(pictures: readonly PictureTopic[]): Attribute[] {
  if (pictures.length === 0) return [];
  return pictures.some(({ of }) => of !== "") ? [AT, OF] : [AT];
}

export function picturesOn(topic: string, device: DescribedDevice): readonly PictureTopic[] {
  return device.pictures?.filter((one) => one.topic === topic || matchesFilter(one.topic, topic)) ?? [];
}
