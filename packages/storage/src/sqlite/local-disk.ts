import { statfsSync } from 'node:fs';
import { unavailable } from '../store.ts';

/** Types of network file systems of Linux, by their numbers in `statfs`. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'SMB',
  1397113167: 'AFS',
  12805120: 'Ceph',
  198183888: 'Lustre',
  18225520: 'GFS2',
};

/**
 * Raises `STORE_UNAVAILABLE` for a folder on a network file system: processes of several machines share no memory, which the index of the
 * write-ahead log needs. Other systems than Linux are not checked.
 */
export function requireLocal(folder: string, typeOf: (folder: string) => number = typeOfFileSystem): void {
  const name = NETWORK[typeOf(folder)];
  if (name === undefined) return;
  const message = `The folder ${folder} of the SQLite store is on a network file system (${name}), where SQLite can lose data. Set dataDir or TOOLWRIGHT_DATA_DIR to a folder on a local disk, or use a postgres:// store.`;
  throw unavailable(message, undefined);
}

function typeOfFileSystem(folder: string): number {
  return process.platform === 'linux' ? statfsSync(folder).type : 0;
}
