import { startWatcher } from '../../processes/watcher.ts';
import { callCommand, commandEnv } from './command.ts';
import { isLeftOver } from './machine-name.ts';

/** Ensures that no machine outlives this process. */
export interface VmReaper {
  /**
   * Stops and removes the machine once its command has ended. If this process ends first, the reaper does it. Resolves after
   * the attempt; never rejects.
   */
  keep(name: string, commandEnded: Promise<unknown>): Promise<void>;
  /** Removes the machines of ended processes. */
  removeOrphans(): Promise<void>;
  /** Waits for running removals, then ends the reaper. */
  close(): Promise<void>;
}

/**
 * A machine is a process in its own session, which survives a killed `msb` and a killed host. So a small `sh` process reads the
 * names of machines from its stdin, which ends with this process. It waits half a second: by then the other reaper has ended
 * every `msb` that could still start a machine.
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

/** Starts the reaper for the machines of one `msb`. */
export function openVmReaper(command: string): VmReaper {
  const watch = startWatcher('/bin/sh', ['-c', WATCH, command], commandEnv());
  const pending = new Set<Promise<void>>();

  const remove = async (name: string, commandEnded: Promise<unknown>) => {
    watch.stdin.write(`+${name}\n`);
    await commandEnded;
    const { code } = await callCommand(command, 'remove', '--quiet', '--force', name);
    // A machine that was not removed stays on the list: the reaper tries again at the end of this process.
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
