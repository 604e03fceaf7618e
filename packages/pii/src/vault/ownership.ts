/** The user of this process, whose files are checked. */
export interface FileUser {
  readonly uid: number;
  /** The groups that have this user. */
  readonly groups: readonly number[];
}

/** The owner and the mode of a file or folder, as Node's `fs.stat` reports them. */
export interface FileOwnership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** How a file or folder is checked. */
export interface OwnershipCheck {
  readonly kind: 'folder' | 'secret' | 'file';
  /** It is the root of a mounted file system. */
  readonly isMount?: boolean;
  /** Default: the user of this process; undefined on Windows, whose modes have no meaning. */
  readonly user?: FileUser | undefined;
}

const ROOT = 0;
const NO_MODES =
  'If this changes nothing, its file system has no modes: mount it with umask=077, or set dataDir to another folder.';

/** Returns the user of this process; undefined on Windows. */
export function fileUser(): FileUser | undefined {
  const uid = process.geteuid?.();
  return uid === undefined ? undefined : { uid, groups: process.getgroups?.() ?? [] };
}

/**
 * Returns the problem of the owner or the mode of a file, with the command that fixes it. Returns undefined for a good file. The
 * owner must be this user or root. Nobody else may write, and nobody else may read a secret. Root can open its own folder on purpose:
 * for a group of this user, as `fsGroup` does. It can open the root of a mounted volume for all, as `emptyDir` does.
 */
export function ownershipProblem(
  path: string,
  { uid, gid, mode }: FileOwnership,
  { kind, isMount = false, user = fileUser() }: OwnershipCheck,
): string | undefined {
  if (user === undefined) return undefined;
  const bits = `mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
  const right = kind === 'folder' ? '700' : '600';
  if (uid !== user.uid && uid !== ROOT) {
    const fix = `Run: chown ${kind === 'folder' ? '-R ' : ''}${user.uid} ${path}`;
    return `${path} belongs to another user (uid ${uid}), not to this one (uid ${user.uid}). ${fix}`;
  }
  const isGiven = kind === 'folder' && uid === ROOT && user.uid !== ROOT;
  const allowed = !isGiven ? 0 : isMount ? 0o022 : user.groups.includes(gid) ? 0o020 : 0;
  const refused = (kind === 'secret' ? 0o077 : 0o022) & ~allowed;
  if ((mode & refused) === 0) return undefined;
  const may = (mode & refused & 0o022) === 0 ? 'readable by' : 'writable for';
  return `${path} is ${may} other users (${bits}). Run: chmod ${right} ${path}\n${NO_MODES}`;
}
