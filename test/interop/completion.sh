#!/usr/bin/env bash
# Completion in real shells: what zsh and fish make of a line after Tab, and bash as the Debian package sets it up.
# Usage: test/interop/completion.sh [HUB]. Needs zsh, fish, bash, dpkg and Bun 1.4.5 (bun, or npx to get it).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-$here/../../bin/hub}")
# shellcheck source=checks.sh
. "$here/checks.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/files"
cp "$binary" "$work/bin/hub"
touch "$work/files/archive of the house.zip"
export PATH="$work/bin:$PATH" HUB_HOME="$work/home" HOME="$work" XDG_CONFIG_HOME="$work/config" TERM=dumb
hub init >/dev/null
cat >"$HUB_HOME/rules/night.toml" <<'TOML'
name = "Night"
[trigger]
type = "manual_trigger"
[[actions]]
type = "log_message"
message = "good night"
TOML

bun_() { if command -v bun >/dev/null; then bun "$@"; else npx --yes bun@1.4.5 "$@"; fi; }

# A terminal in which zsh runs: what is typed ends with a Tab, and the line that comes of it is run by a hub that notes its arguments.
cat >"$work/zshrc" <<'ZSH'
PS1= PS2= RPS1=
autoload -Uz compinit
compinit -u -D
source <(hub completion zsh)
hub() { if [[ $1 == completion ]]; then command hub "$@"; else printf '<%s>' "$@" >$HOME/ran; fi; }
touch $HOME/ready
ZSH
zsh_makes() {
  rm -f "$work/ready" "$work/ran"
  timeout 60 zsh -f -c '
    zmodload zsh/zpty
    zmodload zsh/zselect
    zpty shell zsh -f -i
    zpty -w shell "source $HOME/zshrc"
    until [[ -e $HOME/ready ]]; do zselect -t 5; done
    zpty -w shell "$1"$'"'\\t'"'
    until [[ -s $HOME/ran ]]; do zselect -t 5; done' zsh "$1" || true
  cat "$work/ran"
}
fish_offers() { fish --no-config -c 'hub completion fish | source; complete -C $argv[1]' "$1" | cut -f 1 | sort; }

zsh_checks() {
  check "zsh completes a command" same '<status>' zsh_makes 'hub stat'
  check "… an option" same '<logs><--follow>' zsh_makes 'hub logs --f'
  check "… what is in the house" same '<rules><why><night>' zsh_makes 'hub rules why n'
  check "… a file, with blanks in its name" same "<restore><$work/files/archive of the house.zip>" zsh_makes "hub restore $work/files/arch"
}

fish_checks() {
  check "fish offers commands" same "$(printf 'device\ndevice-account\ndevices')" fish_offers 'hub de'
  check "… options" same "$(printf -- '--last\n--level\n--lines')" fish_offers 'hub logs --l'
  check "… what is in the house" same night fish_offers 'hub rules why n'
  check "… files" same "$work/files/archive of the house.zip" fish_offers "hub restore $work/files/arch"
}

# As bash-completion loads it when somebody types the name of the package's command.
bash_offers() {
  bash --norc -c '
    . "$1/usr/share/bash-completion/completions/home-hub"
    shift
    COMP_WORDS=(home-hub "$@") COMP_CWORD=$#
    [ "$(complete -p home-hub)" = "complete -F _hub home-hub" ] && { _hub; printf "%s\n" "${COMPREPLY[@]}"; }' bash "$work/package" "$@"
}
package_checks() {
  bun_ "$here/make-deb.ts" "$binary" 1.0.0 "$work/home-hub.deb"
  dpkg-deb --extract "$work/home-hub.deb" "$work/package"
  ln -s "$work/bin/hub" "$work/bin/home-hub"
  check "the Debian package completes its command in bash" same "$(printf 'device\ndevice-account\ndevices')" bash_offers de
  check "… in zsh" grep -q '^#compdef home-hub$' "$work/package/usr/share/zsh/vendor-completions/_home-hub"
  check "… which zsh can read" zsh -n "$work/package/usr/share/zsh/vendor-completions/_home-hub"
  check "… and has its manual pages" same 'home-hub home-hub-device' \
    sh -c 'cd "$1"; for page in home-hub home-hub-device; do zcat "$page.1.gz" | grep -q "^.SH NAME" && echo "$page"; done | xargs' sh "$work/package/usr/share/man/man1"
  check "… in fish" same night \
    fish --no-config -c 'source $argv[1]; complete -C "home-hub rules why n"' "$work/package/usr/share/fish/vendor_completions.d/home-hub.fish"
}

zsh_checks
fish_checks
package_checks
tell_and_end
