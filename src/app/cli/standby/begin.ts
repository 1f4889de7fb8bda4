// hub standby --of URL: pairs with the hub, then keeps its copy. Without --of it goes on with what was paired before.
import { isPaired, readMachine } from "../../../copies/standby/machine.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { findHomeOf, type Invocation } from "../command.ts";
import { enterHome } from "../prepare.ts";
import { serve } from "../serve.ts";
import { pair } from "./pair.ts";

export async function begin(invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  if (options.of === undefined) {
    const home = findHomeOf(invocation);
    if (!isPaired(home))
      throw new HubError("not_found", "this machine is no standby yet: say of which hub, with `hub standby --of URL`");
    if (readMachine(home)?.role === "hub") io.platform.stderr.write("this machine is the hub of its house by now\n");
    return serve.run(invocation);
  }
  const { home } = enterHome(invocation);
  const hub = await pair(home, invocation);
  io.platform.stderr.write(`this machine is the standby of ${hub} from now on\n`);
  if (options["pair-only"]) {
    io.platform.stderr.write("start it with `hub standby`, or as a service with `sudo hub service install`\n");
    return 0;
  }
  return serve.run(invocation);
}
