# The Debian package, in the room of service.sh, which sources this: installed, upgraded, gone wrong, taken back, removed.

make_deb() { bun_ "$here/make-deb.ts" "$work/empty/$1" "$2" "$work/$1.deb" && cp "$work/$1.deb" "/proc/$first/root/srv/new/"; }
dpkg_() { inside dpkg "$@" </dev/null; }
state_of_package() { inside dpkg-query --show --showformat='${db:Status-Status} ${Version}' home-hub; }

package_checks() {
  inside "$installed" service uninstall >/dev/null 2>&1
  inside rm -r /opt/hub
  cp "$work/next" "$work/broken" "$work/empty/"
  make_deb hub "$this_version"
  make_deb next 99.1.0
  make_deb broken 99.2.0

  check "dpkg --install home-hub" dpkg_ --install /srv/new/hub.deb
  check "… which dpkg takes for whole" same '' dpkg_ --verify home-hub
  check "… makes a service" unit_is ActiveState active
  check "… that answers" healthy "$this_version"
  check "… whose executable is root's" same root inside stat -c %U "$installed"
  check "home-hub is the command" output_has "hub $this_version" inside home-hub version
  check "… which knows the service" output_has "$this_version, answers" inside home-hub service status
  local pid
  pid=$(unit MainPID)
  check "installing it again" dpkg_ --install /srv/new/hub.deb
  check "… does not restart the hub" same "$pid" unit MainPID

  check "a newer package" output_has "$this_version → 99.1.0" dpkg_ --install /srv/new/next.deb
  check "… runs" healthy 99.1.0
  check "one whose hub does not start is not installed" fails_saying "the previous version runs again" dpkg_ --install /srv/new/broken.deb
  check "… and the one before answers" healthy 99.1.0
  check "… which dpkg knows of" same "half-configured 99.2.0" state_of_package
  check "the package before mends that" dpkg_ --install /srv/new/next.deb
  check "an older package is what was asked for" dpkg_ --install /srv/new/hub.deb
  check "… and runs" healthy "$this_version"
  check "a hub that was upgraded without the package" inside "$installed" upgrade /srv/new/next
  check "… stays when the package is installed again" output_has "the newer hub that is installed stays" dpkg_ --install /srv/new/hub.deb
  check "… and answers" healthy 99.1.0

  check "dpkg --remove" dpkg_ --remove home-hub
  check "… ends everything" refused inside pgrep -f /opt/hub
  check "… leaves no unit" refused inside test -e /etc/systemd/system/hub.service
  check "… and no command" refused inside test -e /usr/bin/home-hub
  check "dpkg --purge says where the house is" output_has "the house is still in /opt/hub" dpkg_ --purge home-hub
  check "… and leaves it" inside test -s /opt/hub/data/state.redb
  check "a package that is installed later finds it" dpkg_ --install /srv/new/next.deb
  check "… with its data" refused inside sh -c 'journalctl -u hub -o cat --since=-10s | grep "password:"'
  check "… and answers" healthy 99.1.0
}
