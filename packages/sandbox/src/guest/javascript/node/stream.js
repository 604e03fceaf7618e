// `node:stream` for engines that lack it.
// @ts-expect-error: it has no types
import library from 'readable-stream/lib/ours/browser.js';

export const {
  addAbortSignal,
  compose,
  Duplex,
  finished,
  PassThrough,
  pipeline,
  promises,
  Readable,
  Stream,
  Transform,
  Writable,
} = /** @type {any} */ (library);
export default library;
