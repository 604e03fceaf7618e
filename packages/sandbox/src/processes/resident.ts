import { readFileSync } from 'node:fs';

/**
 * Returns the resident memory of a process in bytes, with the pages of programs and libraries that it shares with other
 * processes. Returns `undefined` for a process that has ended, and where the system has no `/proc`.
 */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
