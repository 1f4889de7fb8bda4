// Property tests look elsewhere each time, unless PROPERTY_SEED says where: what lands must not depend on luck.
import fc from "fast-check";

const { PROPERTY_SEED } = process.env;
if (PROPERTY_SEED) fc.configureGlobal({ seed: Number(PROPERTY_SEED) });
