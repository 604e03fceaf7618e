// Moves the clock of a process, as a wrong time server does: `NODE_OPTIONS="--import=…/moved-clock.mjs" MOVED_CLOCK_MS=600000`. The signal
// SIGUSR2 moves it by as much to the other side.
import { isMainThread } from 'node:worker_threads';

const Real = Date;
const real = Date.now;
let movedMs = Number(process.env.MOVED_CLOCK_MS ?? 0);
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Date.now()] : given));
  }
};
Date.now = () => real() + movedMs;
if (isMainThread) {
  process.on('SIGUSR2', () => {
    movedMs = -movedMs;
  });
}
