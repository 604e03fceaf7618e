import { fileURLToPath } from 'node:url';

/**
 * Path of the guest files, for sandboxes of your own. `quickjs.js` runs in Node with its channel as descriptor 3.
 * `node.cjs` and `python/main.py` expect the descriptors for reading and for writing as arguments.
 */
export const GUEST_FOLDER: string = fileURLToPath(new URL('../guest', import.meta.url));
