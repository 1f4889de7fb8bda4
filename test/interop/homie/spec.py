"""homie-spec of PyPI (Homie 4) makes the messages, paho-mqtt sends them: a coffee machine with an enum and a text."""
import sys

from homie_spec import Device, Node, Property
from homie_spec.properties import Datatype
from paho.mqtt.client import Client

port, username, password = sys.argv[1:]
values = {"machine/mode": "eco", "machine/cups": "3"}
nodes = {
    "machine": Node(
        name="Machine",
        typeOf="coffee",
        properties={
            "mode": Property(
                name="Mode", get=lambda: values["machine/mode"], datatype=Datatype.ENUM, settable=True, formatOf="eco,strong"
            ),
            "cups": Property(name="Cups", get=lambda: values["machine/cups"], datatype=Datatype.INTEGER, formatOf="0:100"),
        },
    )
}
device = Device(id="py-coffee", name="Python coffee", nodes=nodes)


def send(message):
    client.publish(message.topic, message.payload, qos=message.qos, retain=message.retained)


def connected(*_):
    client.subscribe("homie/py-coffee/+/+/set")
    for message in device.messages():
        send(message)
    for place in values:
        send(device.getter_message(place))


def heard(_client, _data, message):
    place = message.topic.removeprefix("homie/py-coffee/").removesuffix("/set")
    print(f"@{place} {message.payload.decode()}", flush=True)
    values[place] = message.payload.decode()
    send(device.getter_message(place))


client = Client(client_id="py-coffee")
client.username_pw_set(username, password)
client.will_set("homie/py-coffee/$state", "lost", retain=True)
client.on_connect, client.on_message = connected, heard
client.connect("127.0.0.1", int(port))
client.loop_forever()
