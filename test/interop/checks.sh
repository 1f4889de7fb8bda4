# The counting behind run.sh, service.sh and arm64.sh: each check is a line, and the last line says how many there were.
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

# soon COMMAND…: succeeds at once on an idle machine; a busy one has half a minute.
soon() { tried 300 0.1 "$@"; }

# patiently COMMAND…: succeeds within two minutes; an emulated or a busy processor takes its time.
patiently() { tried 480 0.25 "$@"; }

# tried TIMES PAUSE COMMAND…: the last time with what it says.
tried() {
  local times=$1 pause=$2 try
  shift 2
  for ((try = 0; try < times; try++)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep "$pause"
  done
  "$@"
}

# unless_refused WHAT COMMAND…: COMMAND asks the kernel for all that the checks to come need of it, and for nothing else.
# Where it may not have that, no check can tell anything: the script ends here, with the kernel's words and without a failure.
# Whatever else keeps COMMAND from succeeding is a failure.
unless_refused() {
  local what=$1 said
  shift
  if said=$("$@" 2>&1); then return 0; fi
  if ! grep -qiE 'not permitted|permission denied|not implemented|unknown filesystem type|no space left' <<<"$said"; then
    printf '%s\n' "$0: $said" >&2
    exit 1
  fi
  echo "NOT RUN, NOTHING OF IT IS CHECKED: $0: the kernel refuses $what: $(head -n 1 <<<"$said")"
  exit 0
}

tell_and_end() {
  echo
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
