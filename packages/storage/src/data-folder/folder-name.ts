import { createHash } from 'node:crypto';

/** Names that can be used as folder names. No upper case: on some disks, `Ada` and `ada` are the same name. */
const PLAIN_NAME = /^(?!(?:con|prn|aux|nul|(?:com|lpt)\d)$)[a-z0-9_-]{1,64}$/;

/** Returns the folder name of a user or a customer, whose name can be any text, such as an e-mail address. */
export function folderName(kind: 'user' | 'customer', name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  return `${kind}.${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
