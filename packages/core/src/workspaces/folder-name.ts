import { createHash } from 'node:crypto';

/** Names that may be a folder as they are. Upper case is not among them: some disks take `Ada` and `ada` for one. */
const PLAIN_NAME = /^(?!(?:con|prn|aux|nul|(?:com|lpt)\d)$)[a-z0-9_-]{1,64}$/;

/** The folder of a user or a customer, whose name may be anything, an e-mail address for instance. */
export function folderName(kind: 'user' | 'customer', name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  return `${kind}.${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
