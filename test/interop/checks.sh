# The counting behind run.sh: each check is a line, and the last line says how many there were.
passed=0
failed=0

# check NAME COMMAND…: the command's success is the verdict; what it says is shown when it fails.
check() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "ok   $name"
  else
    failed=$((failed + 1))
    echo "FAIL $name"
    [ -z "$said" ] || printf '%s\n' "$said" | head -c 2000 | sed 's/^/     /'
  fi
}

# Succeeds when the command fails.
refused() {
  ! "$@"
}

# same WANTED COMMAND…: the command's output is exactly this.
same() {
  local wanted=$1 got
  shift
  got=$("$@") || true
  [ "$got" = "$wanted" ] || { echo "wanted: $wanted, got: $got"; return 1; }
}

# soon COMMAND…: succeeds within five seconds.
soon() {
  local tries
  for tries in $(seq 50); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  "$@"
}

tell_and_end() {
  echo
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
