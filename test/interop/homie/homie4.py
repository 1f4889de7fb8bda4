"""Homie4 of PyPI (Homie 4): a dimmer, a switch, a sensor, a thermostat. What they are told they print as `@PLACE VALUE`."""
import sys
import threading

from homie.device_dimmer import Device_Dimmer
from homie.device_switch import Device_Switch
from homie.device_temperature_humidity_battery import Device_Temperature_Humidity_Battery
from homie.device_thermostat import Device_Thermostat

port, username, password = sys.argv[1:]


def settings(name):
    return {
        "MQTT_BROKER": "127.0.0.1",
        "MQTT_PORT": int(port),
        "MQTT_USERNAME": username,
        "MQTT_PASSWORD": password,
        "MQTT_CLIENT_ID": name,
        "MQTT_SHARE_CLIENT": False,
    }


def told(place, value):
    print(f"@{place} {value}", flush=True)


class Dimmer(Device_Dimmer):
    def set_dimmer(self, percent):
        told("dimmer/dimmer", percent)
        self.update_dimmer(percent)


class Switch(Device_Switch):
    def set_switch(self, value):
        told("switch/switch", value)
        self.update_switch(value)


class Thermostat(Device_Thermostat):
    def set_heat_setpoint(self, value):
        told("controls/heatsetpoint", value)
        self.update_heat_setpoint(value)


dimmer = Dimmer(device_id="py-dimmer", name="Python dimmer", mqtt_settings=settings("py-dimmer"))
switch = Switch(device_id="py-switch", name="Python switch", mqtt_settings=settings("py-switch"))
sensor = Device_Temperature_Humidity_Battery(
    device_id="py-sensor", name="Python sensor", temp_units="C", mqtt_settings=settings("py-sensor")
)
thermostat = Thermostat(device_id="py-heating", name="Python heating", mqtt_settings=settings("py-heating"))

again = threading.Event()
while not again.wait(0.5):
    sensor.update_temperature(19.5)
    sensor.update_humidity(55)
    sensor.update_battery(80)
