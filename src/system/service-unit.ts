// The systemd unit of the hub, as text. Who writes it where is service.ts's.

/** The first line of every unit that is ours. */
export const UNIT_MARK = "# Written by `hub service install`";
export const UNIT_NAME = "hub.service";

/** Groups that own the devices of home automation, on Debian and Raspberry Pi OS. */
export const DEVICE_GROUPS = ["dialout", "gpio", "i2c", "spi", "plugdev", "input", "video", "bluetooth"] as const;

/** Paths hold no character that means something in a unit: see `isPlainPath`. */
export interface UnitOptions {
  /** HUB_HOME, absolute. */
  home: string;
  user: string;
  group: string;
  /** Folders outside the home that it writes to. */
  writable: readonly string[];
  /** Those of DEVICE_GROUPS that this machine has: an unknown one would keep the service from starting. */
  groups: readonly string[];
  /** Whether one of the configured ports is below 1024. */
  privilegedPort: boolean;
  /** Of the machine; undefined where nobody knows. */
  systemdVersion: number | undefined;
}

const FIRST_WITH_STEPS = 254;

/** Whether the path can stand in a unit as it is. */
export function isPlainPath(path: string): boolean {
  return /^(\/[\w.+@=-]+)+$/.test(path);
}

/** Options of systemd 247 and later (Debian 11). */
export function serviceUnit(options: UnitOptions): string {
  return `${UNIT_MARK}, which writes it anew: put changes into \`systemctl edit hub\`.

[Unit]
Description=Home-automation hub
# Not network-online.target: after a power cut the hub is up before the router is. It connects to nothing in order to start.
After=network.target
# The hub itself begins in a safe start after three that failed. What fails even then is tried some twenty minutes more;
# \`systemctl reset-failed hub\` lets it start again after that.
StartLimitIntervalSec=3600
StartLimitBurst=200

${service(options)}
${sandbox(options)}
[Install]
WantedBy=multi-user.target
`;
}

function service({ home, user, group, groups, systemdVersion = 0 }: UnitOptions): string {
  const steps =
    systemdVersion < FIRST_WITH_STEPS
      ? ""
      : "# Ever later, so that a broken disk is not worn out further.\nRestartSteps=10\nRestartMaxDelaySec=300\n";
  return `[Service]
Type=notify
NotifyAccess=main
User=${user}
Group=${group}
${groups.length > 0 ? `# Serial ports, pins, radios.\nSupplementaryGroups=${groups.join(" ")}\n` : ""}\
Environment=HUB_HOME=${home}
WorkingDirectory=${home}
ExecStart=${home}/bin/hub serve
# What the hub makes is its user's alone.
UMask=0077
KeyringMode=private
RemoveIPC=yes
# The first start of a new version may rework large databases.
TimeoutStartSec=300
Restart=on-failure
RestartSec=5
${steps}\
# A hub whose work stands still for a minute is started anew. Its memory is of no use to anybody, and large on a small disk.
WatchdogSec=60
WatchdogSignal=SIGKILL
# The hub ends its plugins by itself, in ten seconds at most; only what is left after that is killed. Its guard, which
# kills the plugins of a hub that died, ends with the rest.
KillMode=mixed
TimeoutStopSec=15
# A leaking plugin may not take the machine along: the largest process is ended, and the hub starts that plugin again. Not
# MemoryHigh: it would slow down all of them, the hub included, until the watchdog ends it.
MemoryMax=75%
OOMPolicy=continue
# Threads count: some twenty for the hub and each plugin in JavaScript, more for Java.
TasksMax=1024
`;
}

function sandbox({ home, writable, privilegedPort }: UnitOptions): string {
  return `# What keeps a hub or plugin that was taken over from the rest of the machine. Plugins are any programs: they may use the
# network, serial ports, pins and Bluetooth, and write to the home. What one needs beyond that, \`systemctl edit hub\` gives.
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${[home, ...writable.map((folder) => `-${folder}`)].join(" ")}
# The executable is root's, so that nothing the hub runs can change what root starts at the next upgrade.
ReadOnlyPaths=${home}/bin
${protectHome(home)}
PrivateTmp=yes
PrivateMounts=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
# It sees the processes of its own user, and looks for no others.
ProtectProc=invisible
RestrictSUIDSGID=yes
RestrictRealtime=yes
RestrictNamespaces=yes
LockPersonality=yes
# Not MemoryDenyWriteExecute: the hub, and every plugin in JavaScript or Java, compiles while it runs.
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
# Of no harm without privileges: \`ping\` gives up rights it does not have, \`cp -p\` sets an owner that is the owner.
SystemCallFilter=capset @setuid @chown
# By which the hub confines its plugins. Those that systemd does not know are passed over.
SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self
SystemCallErrorNumber=EPERM
# Netlink lists network interfaces; CAN is a bus of heating and solar systems.
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_BLUETOOTH AF_CAN
DevicePolicy=closed
${deviceAllow()}
${capabilities(privilegedPort)}`;
}

// A home under /home is all of it that is seen.
function protectHome(home: string): string {
  return /^\/(home|root|run\/user)(\/|$)/.test(home) ? `ProtectHome=tmpfs\nBindPaths=${home}` : "ProtectHome=yes";
}

// By the names of /proc/devices; those the machine does not have are passed over. Which user may open one, its group says.
function deviceAllow(): string {
  const kinds = [
    ["char-tty*", "serial ports, USB sticks for Zigbee and Z-Wave"],
    ["char-rfcomm", "serial ports over Bluetooth"],
    ["char-usb_device", "USB"],
    ["char-hidraw", "USB"],
    ["char-input", "remote controls, buttons"],
    ["char-lirc", "infrared"],
    ["char-gpiochip", "pins"],
    ["char-*gpiomem*", "pins of the Raspberry Pi"],
    ["char-i2c*", "sensors at the pins"],
    ["char-spi*", "sensors at the pins"],
    ["char-vc[hi]*", "temperature and voltage of the Raspberry Pi"],
    ["char-video4linux", "cameras"],
  ];
  return kinds.map(([name, what]) => `# ${what}\nDeviceAllow=${name} rw`).join("\n");
}

function capabilities(privilegedPort: boolean): string {
  const ambient = privilegedPort
    ? "# A port below 1024 is configured.\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"
    : "AmbientCapabilities=\n";
  return `# None is given. A plugin that runs \`ping\` needs AmbientCapabilities=CAP_NET_RAW, which lets it listen to the network too.
CapabilityBoundingSet=CAP_NET_RAW${privilegedPort ? " CAP_NET_BIND_SERVICE" : ""}
${ambient}`;
}
