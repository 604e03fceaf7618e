import { readdirSync, readFileSync } from 'node:fs';

/** The child processes of this one, by command line; empty where there is no /proc. */
export function childCommands(): string[] {
  return pids().flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
    return parent === process.pid ? [read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')] : [];
  });
}

function pids(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
