"""Its device as somebody would write it with ha-mqtt-device. Arguments: host, port, user, password."""

import asyncio
import sys

from ha_mqtt_device import (
    AioMqttProvider,
    BinarySensor,
    Climate,
    Cover,
    Device,
    DeviceInfo,
    Light,
    Number,
    Sensor,
    Switch,
)

host, port, username, password = sys.argv[1:]


async def main():
    async with AioMqttProvider(hostname=host, port=int(port), username=username, password=password) as provider:
        info = DeviceInfo(device_id="garden_house", name="Garden house", manufacturer="Home made", model="ESP")
        humidity = Sensor(unique_id="humidity", name="Humidity", device_class="humidity", unit_of_measurement="%")
        power = Sensor(unique_id="power", name="Power", device_class="power", unit_of_measurement="W")
        window = BinarySensor(unique_id="window", name="Window", device_class="window")
        pump = Switch(unique_id="pump", name="Pump")
        target = Number(unique_id="depth", name="Depth", min_value=0, max_value=50, step=1, unit_of_measurement="cm")
        lamp = Light(unique_id="lamp", name="Lamp", brightness_enabled=True)
        awning = Cover(unique_id="awning", name="Awning")
        heater = Climate(unique_id="heater", name="Heater", modes=["off", "heat"], min_temp=5, max_temp=25)
        entities = [humidity, power, window, pump, target, lamp, awning, heater]
        async with Device(provider, info, entities=entities) as device:

            async def obey_pump(event):
                await pump.set_state(event.state == "on")

            async def obey_target(event):
                await target.set_state(float(event.message))

            async def obey_lamp(event):
                if event.event_type == "brightness":
                    await lamp.set_brightness(int(event.state))
                else:
                    await lamp.set_state(event.state in (True, "on", "ON"))

            async def obey_awning(event):
                if event.topic_type == "set_position_topic":
                    await awning.set_position(int(event.message))
                else:
                    await awning.set_position({"OPEN": 100, "CLOSE": 0}.get(event.message, 50))

            async def obey_heater(event):
                if event.topic_type == "temperature_command_topic":
                    await heater.set_target_temperature(float(event.message))
                else:
                    await heater.set_mode(event.message)

            await pump.on_event(obey_pump)
            await target.on_event(obey_target)
            await lamp.on_event(obey_lamp)
            await awning.on_event(obey_awning)
            await heater.on_event(obey_heater)
            await device.set_availability(True)
            await humidity.set_state(61.5)
            await power.set_state(12)
            await window.set_state(True)
            await pump.set_state(False)
            await target.set_state(20)
            await lamp.set_state(True)
            await lamp.set_brightness(64)
            await awning.set_position(30)
            await heater.set_current_temperature(17.5)
            await heater.set_target_temperature(20)
            await heater.set_mode("heat")
            await heater.set_action("heating")
            await asyncio.Event().wait()


asyncio.run(main())
