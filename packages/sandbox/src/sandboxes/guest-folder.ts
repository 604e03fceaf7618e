import { fileURLToPath } from 'node:url';

/**
 * Path of the guest files, for sandboxes of your own. `quickjs.js` runs on Node and has its channel as descriptor 3;
 * `node.cjs` and `python/main.py` take the descriptors to read from and to write to as arguments.
 */
export const GUEST_FOLDER: string = fileURLToPath(new URL('../guest', import.meta.url));
