/** The calls of each program. The first four are made at once. */
export const CALLS = 20;

/** Returns the text of the call `n` of an execution. Those with `:ask` need an approval. */
export const lineOf = (id, n) => `${id}:${n}${n % 7 === 3 ? ':ask' : ''}`;

/** Returns whether the person denies a call. */
export const isDenied = (line) => line.startsWith('0');

/** Returns the program of an execution. Its value is the number of answered calls. */
export const programOf = (id) => `
import { append } from './servers/bank/index.js';
const call = async (n) => {
  const line = '${id}:' + n + (n % 7 === 3 ? ':ask' : '');
  try {
    await append({ line });
    return 1;
  } catch (error) {
    if (error.code !== 'APPROVAL_DENIED') throw error;
    return 0;
  }
};
let answered = 0;
for (const one of await Promise.all([0, 1, 2, 3].map(call))) answered += one;
for (let n = 4; n < ${CALLS}; n++) answered += await call(n);
return answered;`;
