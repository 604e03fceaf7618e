import { join } from 'node:path';
import type { Machine } from './client.ts';

/** Returns the folder of configurations of desktop programs. */
export function programFolder({ home, platform, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

/** Returns the folder of configurations of programs that use `~/.config` also on macOS. */
export function configFolder(machine: Machine): string {
  const { home, platform, env } = machine;
  return platform === 'win32' ? programFolder(machine) : env.XDG_CONFIG_HOME || join(home, '.config');
}
