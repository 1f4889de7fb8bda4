"""ebus-sdk of PyPI (Homie 5): a bridge and a lamp behind it. What the lamp is told it prints as `@PLACE VALUE`."""
import sys
import threading

from ebus_sdk import Device, PropertyDatatype, Unit

port, username, password = sys.argv[1:]
bridge = Device(
    "py-bridge",
    name="Python bridge",
    homie_domain="homie",
    mqtt_cfg={
        "host": "127.0.0.1",
        "port": int(port),
        "authentication": {"type": "USER_PASS", "username": username, "password": password},
    },
)
bridge.start_mqtt_client()
lamp = Device(id="py-lamp", name="Python lamp", parent=bridge)
node = lamp.add_node_from_dict({"id": "light", "name": "Light", "type": "light"})
properties = {}


def settable(id, datatype, **more):
    def told(*given):
        value = given[-1]
        print(f"@light/{id} {value}", flush=True)
        properties[id].set_value(value == "true" if datatype == PropertyDatatype.BOOLEAN else value)

    properties[id] = node.add_property_from_dict(
        {"id": id, "name": id, "datatype": datatype, "settable": True, "set_callback": told, **more}
    )


settable("power", PropertyDatatype.BOOLEAN, format="off,on")
settable("brightness", PropertyDatatype.INTEGER, format="0:255")
settable("color", PropertyDatatype.COLOR, format="rgb,hsv")
meter = lamp.add_node_from_dict({"id": "meter", "name": "Meter", "type": "meter"})
power = meter.add_property_from_dict(
    {"id": "power-used", "name": "Power", "datatype": PropertyDatatype.FLOAT, "unit": Unit.WATT}
)
properties["power"].set_value(False)
properties["brightness"].set_value(102)
properties["color"].set_value("rgb,255,136,0")
power.set_value(7.5)
threading.Event().wait()
