#!/usr/bin/env bash
# A room of its own in which systemd is process 1: this machine's files under a layer that takes all changes, and own
# processes, network, control groups. Usage: room.sh FOLDER, as root; ends when it is killed. Enter it with nsenter.
set -euo pipefail

if [ "${2:-}" != inside ]; then
  exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child=KILL "$0" "$1" inside
fi

room=$1
mount --make-rprivate /
mkdir -p "$room/root"
# Changes stay in memory; an overlay cannot lie on another one.
mount -t tmpfs tmpfs "$room"
mkdir "$room/upper" "$room/work" "$room/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$room/upper,workdir=$room/work" "$room/root"
cd "$room/root"

mount -t proc proc proc
# Nothing of the machine itself is tuned from in here.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in run tmp dev; do mount -t tmpfs tmpfs "$folder"; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%%:*}" "dev/${number#*:}"; done

: >etc/fstab
rm -rf var/log/journal etc/systemd/system/hub.service* opt/hub
mkdir -p etc/systemd/system oldroot
for unit in systemd-sysctl systemd-modules-load systemd-udevd systemd-udev-trigger; do
  ln -sf /dev/null "etc/systemd/system/$unit.service"
done
pivot_root . oldroot
umount -l /oldroot
exec env -i container=room PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --log-target=journal --show-status=0 --unit=basic.target </dev/null
