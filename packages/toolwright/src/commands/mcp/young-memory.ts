import { setFlagsFromString } from 'node:v8';

/** The newest Node whose V8 was checked to have the flag. V8 writes an error to stderr for an unknown one. */
const CHECKED_NODE = 26;
const FLAG = '--semi-space-growth-factor';
const DEFAULT_FACTOR = 2;

/**
 * Keeps V8's memory for new objects at its first size: a server that only waits would keep 14 MB of it from its start. Call
 * {@link letYoungMemoryGrow} before the process has more work.
 */
export function keepYoungMemorySmall(): void {
  setFactor(1);
}

/** Lets V8's memory for new objects grow as by default. */
export function letYoungMemoryGrow(): void {
  setFactor(DEFAULT_FACTOR);
}

function setFactor(factor: number): void {
  if (Number.parseInt(process.versions.node, 10) <= CHECKED_NODE) setFlagsFromString(`${FLAG}=${factor}`);
}
