// The text of the hub's systemd unit. service.ts writes it to its file.

/** The first line of every unit that `hub service install` wrote. */
export const UNIT_MARK = "# Written by `hub service install`";
export const UNIT_NAME = "hub.service";

/** Groups that own the devices of home automation, on Debian and Raspberry Pi OS. */
export const DEVICE_GROUPS = ["dialout", "gpio", "i2c", "spi", "plugdev", "input", "video", "bluetooth"] as const;

/** Paths must hold no character with a meaning in a unit: see `isPlainPath`. */
export interface UnitOptions {
  /** HUB_HOME, absolute. */
  home: string;
  user: string;
  group: string;
  /** Folders outside the home that it writes to. */
  writable: readonly string[];
  /** Those of DEVICE_GROUPS that this machine has: an unknown one would keep the service from starting. */
  groups: readonly string[];
  /** Whether the hub itself may replace its executable. */
  pageUpgrades: boolean;
  /** Whether the hub keeps plugins to their folders by namespaces, as the kernel has no Landlock. */
  namespaces: boolean;
  /** Whether one of the configured ports is below 1024. */
  privilegedPort: boolean;
  /** Undefined where it is unknown. */
  systemdVersion: number | undefined;
}

const FIRST_WITH_STEPS = 254;

/** Whether the path needs no quoting in a unit. */
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
# After three failed starts the hub makes a safe start. If even that fails, systemd tries for some twenty minutes more. After
# that, \`systemctl reset-failed hub\` lets it start again.
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
      : "# With growing pauses, so that a failing disk is not worn out further.\nRestartSteps=10\nRestartMaxDelaySec=300\n";
  return `[Service]
Type=notify
NotifyAccess=main
User=${user}
Group=${group}
${groups.length > 0 ? `# Serial ports, pins, radios.\nSupplementaryGroups=${groups.join(" ")}\n` : ""}\
Environment=HUB_HOME=${home}
WorkingDirectory=${home}
ExecStart=${home}/bin/hub serve
# Only the hub's user can read its files.
UMask=0077
KeyringMode=private
RemoveIPC=yes
# The first start of a new version may migrate large databases.
TimeoutStartSec=300
Restart=on-failure
RestartSec=5
${steps}\
# A hub that hangs for a minute is restarted. SIGKILL leaves no core dump, which would be large on a small disk.
WatchdogSec=60
WatchdogSignal=SIGKILL
# The hub ends its plugins by itself, in ten seconds at most. Only what is left after that is killed, together with the process
# that kills the plugins of a hub that died.
KillMode=mixed
TimeoutStopSec=15
# A plugin that leaks memory must not bring the machine down: the largest process is killed, and the hub starts that plugin
# again. Not MemoryHigh: it would slow down all processes, the hub included, until the watchdog kills the hub.
MemoryMax=75%
OOMPolicy=continue
# Threads count, too: some twenty for the hub and each plugin in JavaScript, more for Java.
TasksMax=1024
`;
}

function sandbox({ home, writable, pageUpgrades, namespaces, privilegedPort }: UnitOptions): string {
  return `# Protects the rest of the machine from a hub or plugin under an attacker's control. Plugins can be any program: they may use
# the network, serial ports, pins and Bluetooth, and write to the home. For a plugin that needs more, use \`systemctl edit hub\`.
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${[home, ...writable.map((folder) => `-${folder}`)].join(" ")}
${pageUpgrades ? ownExecutable(home) : rootsExecutable(home)}
${protectHome(home)}
PrivateTmp=yes
PrivateMounts=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
# It sees only the processes of its own user, and needs no others.
ProtectProc=invisible
RestrictSUIDSGID=yes
RestrictRealtime=yes
${namespaces ? ALLOWED_NAMESPACES : "RestrictNamespaces=yes"}
LockPersonality=yes
# Not MemoryDenyWriteExecute: the hub, and every plugin in JavaScript or Java, compiles while it runs.
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
# Harmless without privileges: \`ping\` drops rights it does not have, \`cp -p\` sets the owner to the present owner.
SystemCallFilter=capset @setuid @chown
# The hub confines its plugins with these. systemd ignores those it does not know.
SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp
${namespaces ? NAMESPACE_CALLS : ""}\
SystemCallErrorNumber=EPERM
# Netlink lists network interfaces; CAN is a bus of heating and solar systems.
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_BLUETOOTH AF_CAN
DevicePolicy=closed
${deviceAllow()}
${capabilities(privilegedPort)}`;
}

const ALLOWED_NAMESPACES = `# This machine's kernel has no Landlock: plugins are kept to their folders by namespaces, which they may not make themselves.
RestrictNamespaces=user mnt`;
const NAMESPACE_CALLS = "SystemCallFilter=unshare mount umount2 pivot_root open_tree move_mount mount_setattr\n";

function rootsExecutable(home: string): string {
  return `# The executable belongs to root, so that nothing the hub runs can change what root runs at the next upgrade.\nReadOnlyPaths=${home}/bin`;
}

function ownExecutable(home: string): string {
  return `# Administrators of the hub may replace ${home}/bin/hub (--page-upgrades): do not run it with sudo unless you trust all of them.`;
}

// Of /home, only the hub's home is visible.
function protectHome(home: string): string {
  return /^\/(home|root|run\/user)(\/|$)/.test(home) ? `ProtectHome=tmpfs\nBindPaths=${home}` : "ProtectHome=yes";
}

// By the names in /proc/devices; systemd ignores those the machine does not have. Groups decide which user may open one.
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
  return `# The hub gets no capabilities. A plugin that runs \`ping\` needs AmbientCapabilities=CAP_NET_RAW, which lets it listen to the network too.
CapabilityBoundingSet=CAP_NET_RAW${privilegedPort ? " CAP_NET_BIND_SERVICE" : ""}
${ambient}`;
}
