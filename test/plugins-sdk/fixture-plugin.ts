// A plugin that uses every part of the kit; the tests run it as a child process.
import { runPlugin, Type } from "../../plugins/sdk/index.ts";

runPlugin({
  version: "2.3.4",
  configSchema: Type.Object(
    {
      greeting: Type.String({ default: "hello" }),
      api_key: Type.String({ default: "" }),
      lamps: Type.Integer({ default: 1, minimum: 1 }),
    },
    { additionalProperties: false },
  ),
  async start(plugin) {
    if (plugin.config.greeting === "refuse to start") throw new Error("that greeting is not possible");
    for (let number = 1; number <= plugin.config.lamps; number++) {
      const lamp = plugin.device({
        id: `${plugin.id}_lamp${number}`,
        name: `Lamp ${number}`,
        deviceType: "light",
        area: "office",
        capabilities: Type.Object({ on: Type.Boolean({ title: "On" }) }),
        async onCommand(command) {
          if (command.command === "break") throw new Error("broken on purpose");
          // As a device would, it answers later than it is asked.
          await Bun.sleep(1);
          lamp.set({ on: command.on === true, greeting: plugin.config.greeting });
          return command.level === undefined ? undefined : { level: command.level };
        },
      });
      lamp.set({ on: false, greeting: plugin.config.greeting });
      lamp.set({ greeting: plugin.config.greeting, on: false });
    }
    plugin.action({
      id: "count",
      label: "Count up",
      params: Type.Object({ to: Type.Integer({ minimum: 1 }) }),
      stream: true,
      cancelable: true,
      async run({ to }, context) {
        for (let number = 1; number <= to; number++) context.progress({ number });
        const name = await context.ask({ message: "Your name?" });
        return { name };
      },
    });
    plugin.action({ id: "echo", label: "Echo", run: (params) => JSON.stringify(params) });
    plugin.action({
      id: "ring",
      label: "Ring",
      run() {
        plugin.emit("doorbell", { button: "front" });
        plugin.notice({ level: "error", code: "rung", message: "It rang.", remedy: "Open." });
        plugin.log.info("rang", { button: "front" });
        return undefined;
      },
    });
    return () => plugin.log.info("goodbye");
  },
});
