"""A heater room as somebody would write it with ha-mqtt-discoverable. Arguments: host, port, user, password."""

import json
import sys
import time

from ha_mqtt_discoverable import DeviceInfo, Settings
from ha_mqtt_discoverable import sensors as of

host, port, username, password = sys.argv[1:]
mqtt = Settings.MQTT(host=host, port=int(port), username=username, password=password)
device = DeviceInfo(name="Boiler room", identifiers="boiler-room-1", manufacturer="Home made", model="Pi", sw_version="2.1")


def settings(kind, name, **more):
    info = kind(name=name, device=device, unique_id="boiler-" + name.lower().replace(" ", "-"), **more)
    return Settings(mqtt=mqtt, entity=info)


def text_of(message):
    return message.payload.decode()


flow = of.Sensor(settings(of.SensorInfo, "Flow temperature", device_class="temperature", unit_of_measurement="°C"))
meter = of.Sensor(
    settings(of.SensorInfo, "Gas meter", device_class="gas", unit_of_measurement="m³", state_class="total_increasing")
)
stage = of.Sensor(settings(of.SensorInfo, "Stage"))
leak = of.BinarySensor(settings(of.BinarySensorInfo, "Leak", device_class="moisture"))
pump = of.Switch(
    settings(of.SwitchInfo, "Pump"), lambda _c, _u, message: pump.on() if text_of(message) == "ON" else pump.off()
)


def obey_lamp(_client, _user, message):
    wanted = json.loads(text_of(message))
    if "brightness" in wanted:
        lamp.brightness(wanted["brightness"])
    elif wanted.get("state") == "OFF":
        lamp.off()
    else:
        lamp.on()


lamp = of.Light(
    settings(of.LightInfo, "Lamp", brightness=True, color_mode=True, supported_color_modes=["brightness"]), obey_lamp
)


def obey_flap(_client, _user, message):
    {"OPEN": flap.open, "CLOSE": flap.closed, "STOP": flap.stopped}[text_of(message)]()


flap = of.Cover(settings(of.CoverInfo, "Flap"), obey_flap)
limit = of.Number(
    settings(of.NumberInfo, "Limit", min=20, max=80, step=0.5, unit_of_measurement="°C"),
    lambda _c, _u, message: limit.set_value(float(text_of(message))),
)
program = of.Select(
    settings(of.SelectInfo, "Program", options=["eco", "comfort", "off"]),
    lambda _c, _u, message: program.select_option(text_of(message)),
)
note = of.Text(settings(of.TextInfo, "Note"), lambda _c, _u, message: note.set_text(text_of(message)))
door = of.Lock(
    settings(of.LockInfo, "Door"),
    lambda _c, _u, message: door.locked() if text_of(message) == "LOCK" else door.unlocked(),
)
reset = of.Button(settings(of.ButtonInfo, "Reset"), lambda _c, _u, message: stage.set_state("reset by " + text_of(message)))
reset.write_config()


flow.set_state(54.5)
meter.set_state(1234.56)
stage.set_state("heating")
leak.off()
pump.off()
lamp.brightness(128)
flap.closed()
limit.set_value(60)
program.select_option("eco")
note.set_text("all is well")
door.locked()
while True:
    time.sleep(60)
