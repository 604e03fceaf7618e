import { fileURLToPath } from 'node:url';

/** Moves money in two calls. */
export const PROGRAM = `
import { withdraw, deposit } from './servers/bank/index.js';

await withdraw({ account: 'ada', amount: 40 });
const { booked } = await deposit({ account: 'bob', amount: 40 });
return booked;
`;

/**
 * Returns the configuration of the bank.
 * @param {string} file
 * @param {string[]} options
 */
export const bankServer = (file, ...options) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('bank.mjs', import.meta.url)), file, ...options],
});
