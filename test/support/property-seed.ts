// Property tests look elsewhere each time, unless PROPERTY_SEED says where: what lands must not depend on luck.
import fc from "fast-check";
import { examples } from "./examples.ts";

const { PROPERTY_SEED } = process.env;
fc.configureGlobal({ numRuns: examples(100), ...(PROPERTY_SEED && { seed: Number(PROPERTY_SEED) }) });
