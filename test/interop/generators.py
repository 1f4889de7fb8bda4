"""The client that openapi-python-client made, with a hub: it logs in, makes a rule of nested types and reads it back.

Arguments: the folder of the client, the address of the hub, name and password.
"""

import importlib
import sys

folder, address, username, password = sys.argv[1:]
sys.path.insert(0, folder)
package = importlib.import_module("hub_client")
models = importlib.import_module("hub_client.models")


def call(tag, name):
    return importlib.import_module(f"hub_client.api.{tag}.{name}")


anonymous = package.Client(base_url=address)
login = call("auth", "post_api_v1_auth_login")
wanted = models.PostApiV1AuthLoginBody(username=username, password=password)
token = login.sync(client=anonymous, body=wanted).token
client = package.AuthenticatedClient(base_url=address, token=token)

night = models.ModeIsCondition(type_="mode_is", mode_id="night")
dark = models.SunCondition.from_dict({"type": "sun", "position": "below_horizon"})
either = models.OrCondition(type_="or", conditions=[night, models.NotCondition(type_="not", condition=dark)])
say = models.LogMessageAction(type_="log_message", message="from Python")
rule = models.Rule(
    id="from_python",
    name="From Python",
    triggers=[models.HubVariableChangedTrigger(type_="hub_variable_changed", name="x")],
    conditions=[either],
    actions=[models.ParallelAction(type_="parallel", actions=[say])],
    cooldown_secs="1m",
)
made = call("rules", "post_api_v1_rules").sync_detailed(client=client, body=rule)
print("made", made.status_code.value)
details = call("rules", "get_api_v1_rules_by_id").sync(client=client, id="from_python")
back = models.Rule.from_dict(details.rule.to_dict())
inner = back.conditions[0].conditions[1].condition
print("read", type(back.triggers[0]).__name__, type(inner).__name__, type(back.actions[0].actions[0]).__name__)
devices = call("devices", "get_api_v1_devices").sync(client=client)
print("devices", type(devices).__name__)
