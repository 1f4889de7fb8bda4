// A process that writes one rule file again and again until it is killed: see kill.test.ts.
import { writeRuleFile } from "../../../src/rules/store/disk.ts";

const [path = "", ...texts] = process.argv.slice(2);
process.stdout.write("writing\n");
for (let turn = 0; ; turn++) writeRuleFile(path, texts[turn % texts.length] ?? "");
