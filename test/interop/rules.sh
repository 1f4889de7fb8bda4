# Rules with an editor, curl, mosquitto and sqlite3.

rule_ron() { # NAME EVENT ACTIONS
  printf '// %s, by hand\n(\n    id: "",\n    name: "%s",\n    trigger: CustomEvent(event_type: "%s"),\n    actions: [%s],\n)\n' "$1" "$1" "$2" "$3"
}
# state_of_rule NAME: its state and what runs of it.
state_of_rule() { ask GET /rules | jq -r --arg name "$1" '.[] | select(.name == $name) | "\(.state) \(.running_version)"'; }
id_of_rule() { ask GET /rules | jq -r --arg name "$1" '.[] | select(.name == $name) | .id'; }
called() { curl -sS -m 30 -o /dev/null -w '%{http_code}' "$@"; }
tell() { mosquitto_pub -p "$mqtt_port" -u garage -P 'garage secret' -q 1 -t "hub/events/$1" -m "$2"; }

rules_checks() {
  local file=$home/rules/interop.ron id
  rule_ron 'Heard °😀' interop 'SetHubVariable(name: "heard", expression: "trigger.data.n"), PublishMqtt(topic: "interop/told", payload: "21 °C")' >"$file"
  check "a rule file takes effect" soon same 'enabled current' state_of_rule 'Heard °😀'
  check "… and its id is written into it, its comment kept" sh -c "head -1 '$file' | grep -q 'by hand' && grep -Eq 'id: \"[0-9a-f-]{36}\"' '$file'"
  id=$(id_of_rule 'Heard °😀')
  check "an event over MQTT sets it off" tell interop '{"n":7}'
  check "… and it wrote the variable" soon answer /variables/heard '.value == 7'
  check "… and says so in its trace" soon answer "/rules/$id/traces" '.[0] | .outcome == "fired" and (.actions | map(.result)) == ["ok", "ok"]'
  check "… and as an event" soon answer "/events?type=rule_fired" ".[0] | .rule_id == \"$id\" and .trigger_type == \"CustomEvent\""

  sed -i 's/CustomEvent(/CustomEvnt(/' "$file"
  check "a broken edit leaves the last good version running" soon same 'broken last_good' state_of_rule 'Heard °😀'
  check "… with the place of the problem" answer "/rules/$id" '.error.line == 5 and (.error.message | contains("did you mean"))'
  check "… which hub check tells as well" sh -c "! env -i PATH=\"\$PATH\" HUB_HOME='$home' '$work/empty/hub' check 2>&1 | grep -q 'is valid'"
  sed -i 's/CustomEvnt(/CustomEvent(/' "$file"
  check "… until it is mended" soon same 'enabled current' state_of_rule 'Heard °😀'

  check "switched off over the API" same 200 status_of PATCH "/rules/$id" '{"enabled":false}'
  check "… the file says so, and keeps its comment" sh -c "grep -q 'enabled: false' '$file' && grep -q 'by hand' '$file'"
  check "a dry run does nothing and tells what it would do" jq -e '.dry_run and .outcome == "fired" and (.actions | length) == 2' <(ask POST "/rules/$id/test" '{"trigger":{"context":{"data":{"n":9}}}}')
  check "the vocabulary for editors" answer /rules/vocabulary '(.triggers | length) >= 19 and (.actions | map(.type) | index("notify")) != null'

  check "a webhook rule is made" same 201 status_of POST /rules '{"id":"interop_bell","name":"Bell","trigger":{"type":"webhook_received","path":"interop","secret":"a secret of the interop checks"},"actions":[{"type":"set_hub_variable","name":"rung","value":true}]}'
  check "… opens with its secret" same 202 called -X POST "$api/webhooks/interop" -H 'X-Webhook-Secret: a secret of the interop checks' -d '{}'
  check "… and has run" soon answer /variables/rung '.value == true'
  check "… and does not open without" same 404 called -X POST "$api/webhooks/interop" -d '{}'
  check "… and counts" soon answer /rules/interop_bell '.fire_count == 1'
}
