# The house's own state over curl, and history.db as sqlite3 reads it.

# The examples of docs/house.md as they are pasted, with other names than those of the checks, and with the page's modes. Prints
# each answer; fails if one of them is a refusal, or if there are none. The lamps here are switches, which cannot be dimmed.
page_examples() {
  local page=$here/../../docs/house.md answers
  sed -n '/^```toml/,/^```/p' "$page" | grep -v '^```' >"$home/config/modes.toml"
  soon answer /modes/away '.kind == "manual"'
  sed -n '/^```sh/,/^```/p' "$page" | grep -vE '^(```|API=|TOKEN=)' | sed 's/kettle/teapot/g; s/guests/visitors/g; s/living_room/lounge/g; s/Living room/Lounge/; s/,"brightness_pct":40//' >"$work/page.sh"
  answers=$(cd "$work" && API=$api TOKEN=$token sh -e page.sh) || return
  printf '%s\n' "$answers"
  [ "$(grep -c . <<<"$answers")" -gt 10 ] && ! grep -E '"status":[45][0-9][0-9]' <<<"$answers" && [ -s "$work/cpu.csv" ]
}

past() { sqlite3 -readonly "$home/data/history.db" "$1"; }
lines_of() { ask GET "$1" | tr -d '\r' | wc -l; }

home_checks() {
  check "a timer is made" same 201 status_of POST /timers '{"id":"kettle","name":"Kettle"}'
  check "… and started like any device" same 202 status_of PATCH /devices/kettle/state '{"command":"start","duration_secs":3600}'
  check "… and runs" answer /timers/kettle '.state == "started" and .remaining_secs > 3500'
  check "a switch is made and turned on" same '201 202' sh_of POST /switches '{"id":"guests"}' PATCH /devices/guests/state '{"on":true}'
  check "a scene is made" same 201 status_of POST /scenes '{"id":"party","name":"Party","states":{"guests":{"on":false},"kettle":{"command":"pause"}}}'
  check "… and activated" jq -e '.failed == [] and (.sent | length) == 2' <(ask POST /scenes/party/activate)
  check "… and has done it" soon answer /switches/guests '.on == false'
  check "a variable is written" same 200 status_of PUT /variables/visitors '{"value":{"adults":2}}'
  check "an area is made" same 201 status_of POST /areas '{"name":"Living Room"}'
  check "… and has its device" same 200 status_of PATCH /devices/guests '{"area":"living_room"}'
  check "… and counts it" answer /areas/living_room '.devices == 1'
  check "the events show it" answer '/events?type=scene_activated,hub_variable_changed' 'length == 2'
  check "a calendar is read" soon answer '/calendars/family/events' 'length > 0 and all(.[]; .title == "Choir 🎶")'
  check "lamps for the page's group" same '201 201' sh_of POST /switches '{"id":"desk_lamp"}' POST /switches '{"id":"bed_lamp"}'
  check "… and a plug" same 201 status_of POST /switches '{"id":"hall_plug"}'
  check "the examples of docs/house.md run as pasted" page_examples
  check "history as JSON" answer '/devices/guests/history?attribute=on' 'map(.value) | index(true) != null and .[-1] == false'
  check "history as CSV" same 'timestamp,attribute,value' sh -c "curl -sS '$api/devices/guests/history?attribute=on&format=csv' -H 'Authorization: Bearer $token' | head -1 | tr -d '\r'"
}

# Two requests, and their two statuses on one line.
sh_of() { # METHOD PATH BODY METHOD PATH BODY
  echo "$(status_of "$1" "$2" "$3") $(status_of "$4" "$5" "$6")"
}

# On the stopped hub, after home_checks.
past_checks() {
  check "sqlite3: integrity_check of the history" same ok past 'PRAGMA integrity_check'
  check "sqlite3: integrity_check of the state" same ok query 'PRAGMA integrity_check'
  check "sqlite3 reads the history by its view" same 'guests|on' past "SELECT DISTINCT device_id, attribute FROM history WHERE device_id = 'guests' AND attribute = 'on'"
  check "sqlite3 reads how often the rule fired" same 1 query "SELECT fire_count FROM rule_state WHERE rule_id = 'interop_bell'"
  check "sqlite3 reads the scene" same Party query "SELECT name FROM scenes WHERE id = 'party'"
  check "sqlite3 reads the variable" same 2 query "SELECT json_extract(value, '\$.adults') FROM variables WHERE name = 'visitors'"
}

# On the hub started again.
kept_checks() {
  check "after a restart the timer is paused as before" answer /timers/kettle '.state == "paused" and .remaining_secs > 3000'
  check "… the variable is there" answer /variables/visitors '.value.adults == 2'
  check "… and the history" answer '/devices/guests/history?attribute=on' 'length >= 2'
}
