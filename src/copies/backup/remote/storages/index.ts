// All kinds of storage. Each is loaded when it is opened.
import type { BackupTarget } from "../config.ts";
import type { OpenOptions, Storage } from "../storage.ts";

/** Throws HubError `upstream_failed`. */
export async function openStorage(target: BackupTarget, options: OpenOptions): Promise<Storage> {
  switch (target.type) {
    case "s3":
      return (await import("./s3.ts")).openS3(target, options);
    case "webdav":
      return (await import("./webdav.ts")).openWebdav(target, options);
    case "sftp":
      return (await import("./sftp.ts")).openSftp(target, options);
    case "folder":
      return (await import("./folder.ts")).openFolder(target, options);
  }
}
