// English: plugins from a file, and newer versions of the hub.
export const upload = {
  "upload.title": "Plugins from a file",
  "upload.hint": "Install a program that brings devices",
  "upload.trust":
    "A plugin is a program that runs on your hub and uses your network. Install only what you trust: look at where it comes from.",
  "upload.admins_only": "Only administrators install plugins.",
  "upload.file": "Choose the file, or drop it here",
  "upload.file_hint": "One file that ends in .js or .ts, of at most 8 MB",
  "upload.not_a_script":
    "This is not a .js or .ts file. For a plugin of another kind, copy its folder to the hub by hand.",
  "upload.too_large": "This file has more than 8 MB, which the hub does not take.",
  "upload.id": "Its name on the hub",
  "upload.id_hint": "Letters, digits, dots, dashes and underscores; it cannot be changed later",
  "upload.enabled": "Start it now, and with the hub",
  "upload.install": "Install",
  "upload.busy": "Sending …",
  "upload.installed": "{id} is installed",
  "upload.list": "Installed from a file",
  "upload.none": "None yet.",
  "upload.version": "{file}, {kb} KB, from {time}",
  "upload.previous": "before it: the one from {time}",
  "upload.replace": "Replace",
  "upload.replace_of": "Replace the program of {id}",
  "upload.replace_what": "The present program is kept, so that you can go back. Settings and devices stay.",
  "upload.replace_now": "Replace it",
  "upload.replaced": "{id} has its new program",
  "upload.back": "Go back",
  "upload.back_of": "Go back to the program before of {id}",
  "upload.went_back": "{id} has its program from before",
  "upload.remove": "Remove",
  "upload.remove_of": "Remove {id}",
  "upload.remove_what":
    "The plugin is stopped and taken out of hub.toml. Its folder is kept in plugins/.trash, and its devices stay until you remove them.",
  "upload.remove_type": "Type {id} to remove it",
  "upload.removed": "{id} is removed",
  "upload.hub_title": "A newer version",
  "upload.hub_hint": "How the hub is upgraded, and how it goes back",
  "upload.hub_now": "This hub is version {version}.",
  "upload.hub_backup": "Make a backup: an older version may not read what a newer one has written.",
  "upload.hub_file":
    "Copy the new file to the machine of the hub. For a Raspberry Pi that is hub-linux-arm64, for most others hub-linux-x64.",
  "upload.hub_run": "Run it there, with the path and the name of your file:",
  "upload.hub_try":
    "The hub restarts. If the new version does not answer within a minute, the old one comes back by itself.",
  "upload.hub_back": "You can go back later, too:",
  "upload.hub_why":
    "The page does not do this itself: the program belongs to the administrator of the machine, so that nobody who gets into the hub can exchange it.",
} as const;
