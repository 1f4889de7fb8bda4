# mosquitto's clients against the broker, once for each version of the protocol.

GARAGE=(-u garage -P 'garage secret')
WATCHER=(-u watcher -P 'watcher secret')

pub() { mosquitto_pub -h 127.0.0.1 -p "$mqtt_port" -V "$protocol" "$@"; }
sub() { mosquitto_sub -h 127.0.0.1 -p "$mqtt_port" -V "$protocol" "$@"; }

# listen FILE ARGUMENTS…: a subscriber in the background, ready when this returns.
listen() {
  local file=$1
  shift
  stdbuf -oL mosquitto_sub -h 127.0.0.1 -p "$mqtt_port" -V "$protocol" -d "$@" >"$file" 2>&1 &
  listener=$!
  helper_pids+=("$listener")
  soon grep -q SUBACK "$file"
}

# The output of a listener, or the one message of `sub -C 1`, without mosquitto's own lines.
message_in() { grep -a '^{' "$1"; }
# Every filter of the subscription was refused; mosquitto_sub says so, and its exit code does not.
denied() { grep -q 'All subscription requests were denied' <(sub "$@" -W 20 2>&1); }
names_in() { sub "$@" -F %t -W 5 2>/dev/null || true; }

mqtt_checks() {
  protocol=$1
  local device=garage_$1 tag="MQTT $1:"
  local state=hub/devices/$device/state got=$work/got-$1

  check "$tag an account logs in and registers a device" pub "${GARAGE[@]}" -q 1 -t hub/plugins/garage/register \
    -m "{\"device_id\":\"$device\",\"plugin_id\":\"garage\",\"name\":\"Garage door\",\"device_type\":\"cover\"}"
  check "$tag … which the API shows" soon answer "/devices/$device" '.name == "Garage door" and .plugin_id == "garage"'

  check "$tag retained state is taken" pub "${GARAGE[@]}" -q 1 -r -t "$state" -m '{"open":false,"battery":91}'
  check "$tag … and shown" soon answer "/devices/$device" '.attributes == {open: false, battery: 91}'
  check "$tag a late subscriber gets what is retained" same '{"open":false,"battery":91}' sub "${WATCHER[@]}" -C 1 -W 30 -t "$state"
  check "$tag partial state with QoS 2" pub "${GARAGE[@]}" -q 2 -t "$state/partial" -m '{"open":true,"battery":null}'
  check "$tag … is merged, null removes" soon answer "/devices/$device" '.attributes == {open: true}'
  check "$tag … and is an event" soon answer "/events?type=device_state_changed&device_id=$device" \
    '.[0].current == {open: true} and .[0].previous.open == false'

  check "$tag availability" pub "${GARAGE[@]}" -r -t "hub/devices/$device/availability" -m offline
  check "$tag … is shown" soon answer "/devices/$device" '.available == false'
  check "$tag a command to an offline device is 409" same 409 status_of PATCH "/devices/$device/state" '{"open":false}'
  pub "${GARAGE[@]}" -r -t "hub/devices/$device/availability" -m online
  soon answer "/devices/$device" '.available' >/dev/null

  command_check
  stream_check
  session_check

  check "$tag a custom event of a plugin" pub "${GARAGE[@]}" -q 1 -t hub/events/doorbell -m "{\"door\":\"$device\"}"
  check "$tag … becomes the hub's" soon answer '/events?type=custom_doorbell' ".[0].door == \"$device\""

  refusal_checks
  bad_input_checks
  will_check
}

command_check() {
  listen "$got-cmd" "${GARAGE[@]}" -q 1 -C 1 -W 30 -t "hub/devices/$device/cmd"
  local correlation
  correlation=$(ask PATCH "/devices/$device/state" '{"open":false}' | jq -r .correlation_id)
  wait "$listener" || true
  check "$tag a command arrives, with its correlation id" jq -e --arg id "$correlation" \
    '.open == false and ._hc.command.correlation_id == $id and ._hc.command.actor_name == "admin"' <(message_in "$got-cmd")
}

stream_check() {
  upgrade "$token" >"$got-stream" &
  local curl_pid=$!
  helper_pids+=("$curl_pid")
  soon grep -qa '101 Switching' "$got-stream"
  pub "${GARAGE[@]}" -q 1 -t "$state/partial" -m '{"seen":"on the stream"}'
  check "$tag a state change reaches an open WebSocket" soon grep -qa '"seen":"on the stream"' "$got-stream"
  kill "$curl_pid" 2>/dev/null || true
  wait "$curl_pid" 2>/dev/null || true
}

session_check() {
  local -a kept=(-i "kept-$protocol" -c -q 1 -t "$state/partial")
  if [ "$protocol" = 5 ]; then kept+=(-x 60); fi
  sub "${WATCHER[@]}" "${kept[@]}" -E
  pub "${GARAGE[@]}" -q 1 -t "$state/partial" -m '{"while":"away"}'
  check "$tag a kept session gets messages that came meanwhile" same '{"while":"away"}' sub "${WATCHER[@]}" "${kept[@]}" -C 1 -W 30
}

refusal_checks() {
  check "$tag a wrong password is refused" refused pub -u garage -P wrong -t "$state" -m '{}'
  check "$tag an unknown account is refused" refused pub -u nobody -P 'garage secret' -t "$state" -m '{}'
  check "$tag no account is refused" refused pub -t "$state" -m '{}'
  check "$tag a subscription outside the list is refused" denied "${WATCHER[@]}" -t hub/devices/sysmon_cpu/state
  check "$tag a plugin may not listen to another's commands" denied "${GARAGE[@]}" -t hub/devices/sysmon_cpu/cmd
  names_in "${WATCHER[@]}" -t '#' >"$got-names"
  check "$tag a wildcard brings what is allowed" grep -qx "$state" "$got-names"
  check "$tag … and nothing else" refused grep -qv '^hub/devices/garage_' "$got-names"

  listen "$got-denied" "${GARAGE[@]}" -W 5 -t "hub/devices/$device/cmd"
  pub "${WATCHER[@]}" -q 1 -r -t "$state" -m '{"open":"forged"}' || true
  pub "${GARAGE[@]}" -q 1 -t hub/devices/sysmon_cpu/state/partial -m '{"forged":true}' || true
  pub "${GARAGE[@]}" -q 1 -t "hub/devices/$device/cmd" -m '{"forged":true}' || true
  pub "${GARAGE[@]}" -q 1 -t hub/plugins/sysmon/status -m offline || true
  wait "$listener" || true
  check "$tag an account that may only read cannot write" answer "/devices/$device" '.attributes.open != "forged"'
  check "$tag … nor leave it behind retained" same '{"open":false,"battery":91}' sub "${WATCHER[@]}" -C 1 -W 30 -t "$state"
  check "$tag a plugin cannot write another's device" answer /devices/sysmon_cpu '.attributes.forged == null'
  check "$tag a plugin cannot send commands" refused grep -qa forged "$got-denied"
  check "$tag a plugin cannot publish as another" answer /plugins/sysmon '.status == "active"'
  check "$tag the refusals are in the log" grep -q 'a publish was denied and dropped' "$work/hub.log"
}

bad_input_checks() {
  local before after
  before=$(ask GET "/devices/$device" | jq -c .attributes)
  pub "${GARAGE[@]}" -q 1 -t "$state" -m 'not json'
  pub "${GARAGE[@]}" -q 1 -t "$state" -m '[1,2]'
  pub "${GARAGE[@]}" -q 1 -t "$state" -m '{"__proto__":{"admin":true}}'
  pub "${GARAGE[@]}" -q 1 -t "$state" -n
  jq -nc '[range(100)] | reduce .[] as $_ (1; [.]) | {deep: .}' | pub "${GARAGE[@]}" -q 1 -t "$state" -s
  head -c 9000000 /dev/zero | tr '\0' x >"$work/large"
  if [ "$protocol" = 311 ]; then
    check "$tag a payload of 9 MB ends the connection" refused pub "${GARAGE[@]}" -q 1 -t "$state" -f "$work/large"
  else
    # The broker announces what it takes, and mosquitto keeps to it: nothing is sent.
    check "$tag a payload of 9 MB is not sent" refused grep -q 'sending PUBLISH' <(pub "${GARAGE[@]}" -d -q 1 -t "$state" -f "$work/large")
  fi
  after=$(ask GET "/devices/$device" | jq -c .attributes)
  check "$tag an invalid state changes nothing" [ "$before" = "$after" ]
  check "$tag … and the hub still answers" same 200 status_of GET /health
}

will_check() {
  listen "$got-will" "${GARAGE[@]}" -t "hub/devices/$device/cmd" --will-topic hub/plugins/garage/status --will-payload offline --will-qos 1
  pub "${GARAGE[@]}" -q 1 -t hub/plugins/garage/status -m active
  soon answer /plugins/garage '.status == "active"' >/dev/null
  kill -KILL "$listener"
  wait "$listener" 2>/dev/null || true
  check "$tag the will of a killed client makes its plugin offline" soon answer /plugins/garage '.status == "offline"'
  check "$tag … and its devices unavailable" soon answer "/devices/$device" '.available == false'
}
