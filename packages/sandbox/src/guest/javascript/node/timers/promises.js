// `node:timers/promises`.
import { promises } from '../timers.js';

export default promises;
export const { setTimeout, setInterval, setImmediate, scheduler } = promises;
