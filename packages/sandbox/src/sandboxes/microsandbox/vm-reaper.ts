import { startWatcher } from '../../processes/watcher.ts';
import { callCommand, commandEnv } from './command.ts';
import { isLeftOver } from './machine-name.ts';

/** Sees to it that no machine outlives this process. */
export interface VmReaper {
  /**
   * Promises that the machine is stopped and removed once its command has ended, in whatever state both are; by this
   * process, or after its end. Resolves when that was tried; never rejects.
   */
  keep(name: string, commandEnded: Promise<unknown>): Promise<void>;
  /** Removes the machines of processes that are gone. */
  removeOrphans(): Promise<void>;
  /** Waits for what is being removed, and ends the watch. */
  close(): Promise<void>;
}

/**
 * A machine is a process of its own session that stays when `msb` or we are killed. So a small `sh` process of its own
 * session reads the names to watch from its stdin. The end of that stream means that we are gone; half a second later
 * the reaper has ended every `msb` that could still start a machine.
 */
const WATCH = `
trap '' INT TERM HUP
names=
while read -r line; do
  name=\${line#?}
  case $line in
    +*) names="$names $name" ;;
    -*) kept=; for n in $names; do [ "$n" = "$name" ] || kept="$kept $n"; done; names=$kept ;;
  esac
done
[ -z "$names" ] && exit 0
sleep 0.5 2>/dev/null || sleep 1
exec "$0" remove --quiet --force $names
`;

/** Starts to watch over the machines that one `msb` makes. */
export function openVmReaper(command: string): VmReaper {
  const watch = startWatcher('/bin/sh', ['-c', WATCH, command], commandEnv());
  const pending = new Set<Promise<void>>();

  const remove = async (name: string, commandEnded: Promise<unknown>) => {
    watch.stdin.write(`+${name}\n`);
    await commandEnded;
    const { code } = await callCommand(command, 'remove', '--quiet', '--force', name);
    // One that could not be removed stays on the list: the next attempt is at our end.
    if (code === 0) watch.stdin.write(`-${name}\n`);
  };
  const track = (work: Promise<void>) => {
    pending.add(work);
    return work.finally(() => pending.delete(work));
  };

  return {
    keep: (name, commandEnded) => track(remove(name, commandEnded)),
    removeOrphans: () => track(removeLeftOvers(command)),
    async close() {
      await Promise.all(pending);
      watch.stdin.end();
    },
  };
}

async function removeLeftOvers(command: string): Promise<void> {
  const { stdout } = await callCommand(command, 'list', '--quiet');
  const names = stdout.split('\n').filter(isLeftOver);
  if (names.length > 0) await callCommand(command, 'remove', '--quiet', '--force', ...names);
}
