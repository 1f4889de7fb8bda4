# curl against the API.

login_body() { jq -nc --arg password "$1" '{username: "admin", password: $password}'; }
log_in() { curl -sS -m 10 "$api/auth/login" -H 'Content-Type: application/json' -d "$(login_body "$1")"; }

# upgrade TOKEN: the handshake of a WebSocket, and what follows until it is killed. Replaces the (sub)shell it is called in.
upgrade() {
  exec stdbuf -o0 curl -sS -i -N --http1.1 -m 60 "$api/events/stream?token=$1" -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
    -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: aW50ZXJvcGVyYWJpbGl0eQ==' 2>/dev/null
}
upgrade_status() {
  local status
  read -r _ status _ < <(upgrade "$1")
  kill "$!" 2>/dev/null || true
  echo "${status%$'\r'}"
}

http_checks() {
  local password
  token=
  password=$(sed -n 's/^password: //p' "$work/hub.log")
  check "GET /health answers without a token" same ok sh -c "curl -sS -m 10 '$api/health' | jq -r .status"
  check "the password is in no log file" refused grep -rqF "$password" "$home/logs"
  check "a wrong password is 401" same 401 status_of POST /auth/login "$(login_body wrong-wrong)"
  check "half a body is 400" same 400 status_of POST /auth/login '{"username":'
  check "an unknown key is 400" same 400 status_of POST /auth/login '{"username":"a","password":"b","x":1}'
  check "no token is 401" same 401 status_of GET /devices
  token=not.a.token
  check "a wrong token is 401" same 401 status_of GET /devices
  check "an upgrade with a wrong token is 401" same 401 upgrade_status not.a.token
  check "the printed password logs in" jq -e '.token and .token_type == "Bearer"' <(log_in "$password")
  token=$(log_in "$password" | jq -r .token)
  check "GET /auth/me answers whose token it is" answer /auth/me '.username == "admin" and .role == "admin"'
  check "GET /system/status counts" answer /system/status '(.devices, .rules, .plugins) | type == "number"'
  check "GET /events is an array" answer '/events?limit=5' 'type == "array" and length > 0 and .[0].seq > .[-1].seq'
  check "an unknown path is 404" same 404 status_of GET /nothing
  check "a wrong method is 405" same 405 status_of DELETE /health
  check "OpenAPI 3 is served" jq -e '.openapi | startswith("3.")' <(curl -sS -m 10 "$api/openapi.json")
  check "every operation of it describes its answers" jq -e \
    '[.paths[][] | select(.responses | length == 0)] == []' <(curl -sS -m 10 "$api/openapi.json")
  check "sysmon is active" soon answer /plugins/sysmon '.status == "active"'
  check "sysmon's devices are there" soon answer '/devices?plugin_id=sysmon' 'length >= 4'
  check "an upgrade with the token is 101" same 101 upgrade_status "$token"
}
