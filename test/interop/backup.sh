# Other people's archivers on the hub's backups: unzip, 7z, bsdtar, Python's zipfile, sqlite3 and age.
# On the running hub: backup_checks. Needs unzip, p7zip-full, libarchive-tools, python3 and age.

inside() { sqlite3 -readonly "$work/unpacked/$1" "$2"; }
listed_sums() { # What the manifest says of each entry, as sha256sum takes it.
  jq -r '.entries[] | .sha256 + "  " + .path' "$work/unpacked/manifest.json"
}
sums_match() { (cd "$work/unpacked" && listed_sums | sha256sum -c --quiet -); }
zipfile_reads() { python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); sys.exit(z.testzip() is not None)' "$1"; }
# age asks for a passphrase on a terminal only.
age_opens() { printf '%s\n' "$1" | script -qec "age -d -o '$3' '$2'" /dev/null; }

backup_checks() {
  local zip=$work/backup.zip moved=$work/moved
  check "a backup over curl" same '200 application/zip' \
    curl -sS -m 60 -X POST "$api/system/backup" -H "Authorization: Bearer $token" -o "$zip" -w '%{http_code} %{content_type}'
  check "unzip -t" unzip -tq "$zip"
  check "7z t" 7z t "$zip"
  check "bsdtar -tf" bsdtar -tf "$zip"
  check "Python's zipfile" zipfile_reads "$zip"
  check "unzip unpacks it" unzip -q "$zip" -d "$work/unpacked"
  check "sha256sum finds every sum of the manifest" sums_match
  check "sqlite3: integrity_check of the state in it" same ok inside data/state.redb 'PRAGMA integrity_check'
  check "sqlite3: integrity_check of the history in it" same ok inside data/history.db 'PRAGMA integrity_check'
  check "sqlite3 counts the users as the manifest" same "$(jq .counts.users "$work/unpacked/manifest.json")" \
    inside data/state.redb 'SELECT count(*) FROM users'
  check "no plugin's file is in it" refused grep -q plugins/ <(unzip -Z1 "$zip")
  check "hub backup - is a zip as well" sh -c "env -i PATH='$PATH' HUB_HOME='$home' '$work/empty/hub' backup - >'$work/piped.zip' && unzip -tq '$work/piped.zip'"
  check "hub backup with a passphrase" sh -c "echo 'a passphrase for age' | env -i PATH='$PATH' HUB_HOME='$home' '$work/empty/hub' backup '$work/backup.zip.age' --passphrase-stdin"
  check "… opened by age -d" age_opens 'a passphrase for age' "$work/backup.zip.age" "$work/from-age.zip"
  check "… to a zip" unzip -tq "$work/from-age.zip"
  check "hub restore of what 7z packed anew" sh -c "cd '$work/unpacked' && 7z a -bso0 '$work/7z.zip' . && '$work/empty/hub' restore '$work/7z.zip' --home '$moved'"
  check "hub restore of what zip packed by hand" sh -c "cd '$work/unpacked/data' && zip -q '$work/hand.zip' state.redb history.db && '$work/empty/hub' restore '$work/hand.zip' --home '$moved' && '$work/empty/hub' restore --undo --home '$moved'"
  check "… and the restored home is valid" sh -c "'$work/empty/hub' init --home '$moved' && '$work/empty/hub' check --home '$moved'"
}
