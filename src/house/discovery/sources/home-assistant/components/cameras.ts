// Components that show pictures: those that a camera publishes, and images, which may be published or be found at an address. What
// they are is known by their bytes, so that the announced encoding and type change nothing.
import type { PictureTopic } from "../../../described.ts";
import { fromJson, str } from "../../../templates/values.ts";
import type { Options } from "../entity.ts";

export type Shows = (options: Options) => PictureTopic[];

const MAX_ADDRESS_BYTES = 16_384;

export const camera: Shows = (options) => [published(options, "topic")];

export const image: Shows = (options) => {
  const topic = options.topic("url_topic");
  if (topic === undefined) return [published(options, "image_topic")];
  if (options.topic("image_topic") !== undefined)
    throw new Error("image_topic and url_topic: it shows what comes on one of them, not both");
  const template = options.template("url_template");
  return [
    {
      ...{ topic, of: nameOf(options) },
      shows(payload, message) {
        if (payload.length > MAX_ADDRESS_BYTES) throw new Error("url_topic: what came is no address");
        const said = template ? template.read(message()) : message().text;
        const address = said === undefined || said === null ? "" : str(fromJson(said)).trim();
        return address === "" || address === "None" ? undefined : { address };
      },
    },
  ];
};

function published(options: Options, key: string): PictureTopic {
  const encoding = options.text("image_encoding") ?? "";
  if (encoding !== "" && encoding !== "b64")
    throw new Error(`image_encoding: "${encoding}" is not known: "b64", or leave it out`);
  // An empty message takes back what the broker has kept.
  return {
    ...{ topic: options.needsTopic(key), of: nameOf(options) },
    shows: (payload) => (payload.length === 0 ? undefined : { bytes: payload }),
  };
}

/** Nothing for a device that is just that. */
function nameOf({ config }: Options): string {
  return typeof config.name === "string" ? config.name : "";
}
