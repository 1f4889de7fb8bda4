"""Home Assistant's own MQTT integration, alone: python home-assistant.py FOLDER PORT USERNAME PASSWORD.

Reads questions from standard input and answers them on standard output, each a line of JSON:
{"do":"settle","topic","payload"}  when it has dealt with everything up to that message
{"do":"dump"}                      {"COMPONENT UNIQUE_ID":{"state","attributes"}} of all that it knows
{"do":"call","component","unique_id","service","data"}
FOLDER is for its configuration. Needs homeassistant==2024.3.3, paho-mqtt==1.6.1 and what the imports below ask for.
"""

import asyncio
import json
import sys
from pathlib import Path

from homeassistant import bootstrap, loader
from homeassistant.components import mqtt
from homeassistant.components.mqtt import discovery
from homeassistant.config_entries import ConfigEntries, ConfigEntry
from homeassistant.const import Platform
from homeassistant.core import CoreState, HomeAssistant, callback
from homeassistant.helpers import entity_registry
from homeassistant.util.unit_system import METRIC_SYSTEM

# These two need a web server, and no device here is one.
LEFT_OUT = [Platform.CAMERA, Platform.IMAGE]
LATER_CLASSES = ["temperature_delta"]
SETTLE_SECS = 60


class Marks:
    """The messages that say how far the broker has been read."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], asyncio.Future] = {}
        self._seen: set[tuple[str, str]] = set()

    @callback
    def received(self, message) -> None:
        mark = (message.topic, message.payload)
        waiting = self._waiting.pop(mark, None)
        if waiting:
            waiting.set_result(None)
        elif message.topic.startswith("zigbee2mqtt/referee/"):
            self._seen.add(mark)

    async def wait(self, topic: str, payload: str) -> None:
        mark = (topic, payload)
        if mark in self._seen:
            self._seen.remove(mark)
            return
        self._waiting[mark] = asyncio.get_running_loop().create_future()
        async with asyncio.timeout(SETTLE_SECS):
            await self._waiting[mark]


async def start(folder: str, port: int, username: str, password: str) -> HomeAssistant:
    Path(folder, "configuration.yaml").touch()
    hass = HomeAssistant(folder)
    hass.config.skip_pip = True
    hass.config.units = METRIC_SYSTEM
    hass.config.safe_mode = False
    # Of use to its dialogues alone, which nobody opens.
    hass.config.components |= {"http", "file_upload"}
    loader.async_setup(hass)
    hass.config_entries = ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    hass.set_state(CoreState.running)
    enable_all(hass)
    read_as_of_today()
    mqtt.PLATFORMS[:] = [one for one in mqtt.PLATFORMS if one not in LEFT_OUT]
    broker = {"broker": "127.0.0.1", "port": port, "username": username, "password": password}
    entry = ConfigEntry(version=1, minor_version=1, domain="mqtt", title="MQTT", source="user", data=broker)
    await hass.config_entries.async_add(entry)
    await hass.async_block_till_done()
    if entry.state.value != "loaded":
        raise RuntimeError(f"MQTT is {entry.state.value}: {entry.reason}")
    return hass


def enable_all(hass: HomeAssistant) -> None:
    """As its user does by hand for what comes disabled."""
    registry = entity_registry.async_get(hass)
    make = registry.async_get_or_create

    def enabled(*args, **options):
        options.pop("disabled_by", None)
        return make(*args, **options)

    registry.async_get_or_create = enabled


def read_as_of_today() -> None:
    """What later releases of Home Assistant know, or take as said: this one refuses the whole announcement for it."""
    read = discovery.json_loads_object

    def older(payload):
        found = read(payload)
        device = found.get("device")
        if isinstance(device, dict):
            device.pop("model_id", None)
        if "supported_color_modes" in found:
            found["color_mode"] = True
        if found.get("device_class") in LATER_CLASSES:
            del found["device_class"]
        return found

    discovery.json_loads_object = older


async def listen(hass: HomeAssistant, marks: Marks) -> None:
    """To all of the devices' messages at once: what entities subscribe to themselves comes only after a while."""
    await mqtt.async_subscribe(hass, "zigbee2mqtt/#", marks.received, 1)
    ready = asyncio.create_task(marks.wait("zigbee2mqtt/referee/ready", "now"))
    while not ready.done():
        await mqtt.async_publish(hass, "zigbee2mqtt/referee/ready", "now", 1, False)
        await asyncio.wait([ready], timeout=0.1)
    await ready


def dump(hass: HomeAssistant) -> dict:
    found = {}
    for one in entity_registry.async_get(hass).entities.values():
        state = hass.states.get(one.entity_id)
        if state is not None:
            found[f"{one.domain} {one.unique_id}"] = {"state": state.state, "attributes": dict(state.attributes)}
    return found


async def call(hass: HomeAssistant, asked: dict) -> None:
    entity_id = entity_registry.async_get(hass).async_get_entity_id(asked["component"], "mqtt", asked["unique_id"])
    if entity_id is None:
        raise LookupError(f"no {asked['component']} {asked['unique_id']}")
    data = {"entity_id": entity_id, **asked.get("data", {})}
    await hass.services.async_call(asked["component"], asked["service"], data, blocking=True)


async def answer(hass: HomeAssistant, marks: Marks, asked: dict) -> object:
    if asked["do"] == "dump":
        return dump(hass)
    if asked["do"] == "call":
        return await call(hass, asked)
    await marks.wait(asked["topic"], asked["payload"])
    return await hass.async_block_till_done()


async def main() -> None:
    folder, port, username, password = sys.argv[1:]
    hass = await start(folder, int(port), username, password)
    marks = Marks()
    await listen(hass, marks)
    lines = asyncio.StreamReader(limit=2**26)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print(json.dumps({"answer": "ready"}), flush=True)
    while line := await lines.readline():
        try:
            said = {"answer": await answer(hass, marks, json.loads(line))}
        except Exception as problem:  # Each question has an answer.
            said = {"problem": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(said, default=str), flush=True)
    await hass.async_stop(force=True)


asyncio.run(main())
