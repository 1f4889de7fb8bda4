// homie-device of npm (Homie 3): a lamp array and a sensor. What it is told it prints as `@PLACE VALUE`.
const [, , modules, port, username, password] = process.argv;
const HomieDevice = require(`${modules}/node_modules/homie-device`);

const mqtt = { host: "127.0.0.1", port: Number(port), base_topic: "homie/", auth: true, username, password };
const device = new HomieDevice({ name: "Node lamps", device_id: "node-lamps", mqtt });
device.setFirmware("lamps", "1.0.0");
const lights = device.node("lights", "Lights", "light", 0, 1);
const power = lights.advertise("power");
power
  .setName("Power")
  .setDatatype("boolean")
  .settable((range, value) => {
    process.stdout.write(`@lights_${range.index}/power ${value}\n`);
    power.setRetained(true).setRange(range.index).send(value);
  });
const weather = device.node("weather", "Weather", "sensor");
const temperature = weather.advertise("temperature");
temperature.setName("Temperature").setUnit("°C").setDatatype("float");
device.on("connect", () => {
  temperature.setRetained(true).send("21.5");
  power.setRetained(true).setRange(0).send("false");
  power.setRetained(true).setRange(1).send("true");
});
device.setup(true);
