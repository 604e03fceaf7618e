import { fileURLToPath } from 'node:url';

/** Path of the program of the thread that renews leases. */
export const RENEWAL_ENTRY: string = fileURLToPath(new URL('./renewal-main.js', import.meta.url));
