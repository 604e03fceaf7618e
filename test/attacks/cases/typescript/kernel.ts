import type { Attacks } from '../../attack.ts';
import { FIND_PROCESS } from '../../preludes.ts';

const nothing: Attacks[string]['judge'] = ({ result }) =>
  result.status === 'completed' && JSON.stringify(result.value) !== '[]'
    ? `granted: ${JSON.stringify(result.value)}`
    : undefined;

const attacks: Attacks = {
  'memory-of-the-parent': {
    program: `${FIND_PROCESS}
// The first process of a namespace has no more rights than the program.
if (found.ppid <= 1) return [];
const fs2 = builtin('fs');
const parent = '/proc/' + found.ppid + '/';
const taken = [];
for (const [name, work] of [['mem', () => fs2.openSync(parent + 'mem', 'r+')], ['fd', () => fs2.readdirSync(parent + 'fd')], ['environ', () => fs2.readFileSync(parent + 'environ')]]) try { work(); taken.push(name) } catch {}
return taken;`,
    judge: nothing,
    badSandbox: 'not-run',
  },
  'environments-of-all': {
    program: `${FIND_PROCESS}
const fs2 = builtin('fs');
const loot = [];
for (const pid of fs2.readdirSync('/proc')) for (const name of ['environ', 'cmdline', 'comm', 'mountinfo']) try { loot.push(fs2.readFileSync('/proc/' + pid + '/' + name, 'utf8').slice(0, 20_000)) } catch {}
return loot.filter((text) => text.includes('S3cret') || text.includes('vitest'));`,
    judge: nothing,
    badSandbox: 'not-run',
  },
  'own-environment': {
    makeProgram: ({ envName }) => `${FIND_PROCESS}
return [found.env['${envName}'], builtin('fs').readFileSync('/proc/self/environ', 'latin1')];`,
    badSandbox: 'caught',
  },
  'files-of-the-host': {
    makeProgram: ({ secretFile, canaryFile, outside, neighbour, dataDir }) => `${FIND_PROCESS}
const fs2 = builtin('fs');
const loot = [];
for (const root of ['', '/proc/1/root', '/proc/self/root', '/proc/self/cwd', '/proc/' + found.ppid + '/root', '/..', '/proc/self/cwd/../../..'])
  for (const work of [() => fs2.readFileSync(root + '${secretFile}', 'utf8'), () => fs2.writeFileSync(root + '${canaryFile}', 'stolen'), () => fs2.mkdirSync(root + '${outside}/planted'), () => fs2.readFileSync(root + '${dataDir}/sessions/${neighbour}/workspace/secret.txt', 'utf8')])
    try { loot.push(String(work())) } catch (error) { loot.push(error.code) }
return loot;`,
    badSandbox: 'caught',
  },
  'descriptors-inherited': {
    program: `${FIND_PROCESS}
const fs2 = builtin('fs');
const loot = [];
for (let fd = 0; fd < 256; fd++) for (const work of [() => fs2.readlinkSync('/proc/self/fd/' + fd), () => fs2.readdirSync('/proc/self/fd/' + fd)]) try { loot.push(String(work())) } catch {}
return loot;`,
    judge: ({ result }) =>
      /vitest|canary/.test(JSON.stringify(result)) ? 'a descriptor of the host is open' : undefined,
    badSandbox: 'not-run',
  },
  'mounts-and-command-lines': {
    program: `${FIND_PROCESS}
const fs2 = builtin('fs');
const loot = [found.argv, found.execArgv, found.execPath, found.cwd(), found.title, JSON.stringify(found.config)];
for (const path of ['/proc/self/mountinfo', '/proc/self/maps', '/proc/1/cmdline', '/proc/self/cmdline', '/proc/self/cgroup']) try { loot.push(fs2.readFileSync(path, 'utf8')) } catch {}
return loot.map(String);`,
    badSandbox: 'caught',
  },
  'name-of-the-machine': {
    program: `${FIND_PROCESS}
return [builtin('os').hostname(), Object.keys(builtin('os').networkInterfaces()), builtin('os').userInfo().username];`,
    judge: ({ result }, { hostname }) =>
      JSON.stringify(result).includes(hostname) ? 'the name of the host got out' : undefined,
    badSandbox: 'caught',
  },
  devices: {
    program: `${FIND_PROCESS}
const fs2 = builtin('fs');
const taken = [];
for (const name of ['mem', 'kmem', 'kmsg', 'sda', 'vda', 'nvme0n1', 'fuse', 'kvm', 'net/tun', 'loop-control']) try { fs2.closeSync(fs2.openSync('/dev/' + name, fs2.constants.O_RDONLY | fs2.constants.O_NONBLOCK)); taken.push(name) } catch {}
for (const path of ['/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/sys/fs/cgroup/cgroup.procs', '/sys/power/state']) try { fs2.closeSync(fs2.openSync(path, 'r+')); taken.push(path) } catch {}
return taken;`,
    judge: nothing,
    badSandbox: 'not-run',
  },
  'becomes-root': {
    program: `${FIND_PROCESS}
const taken = [];
const before = found.geteuid();
for (const work of ['setuid', 'seteuid', 'setgid', 'setegid']) try { found[work](0); taken.push(work) } catch {}
try { found.chdir('/'); builtin('fs').chownSync('/tmp', 0, 0); taken.push('chown') } catch {}
return before === 0 ? ['it is root'] : taken;`,
    judge: nothing,
    badSandbox: 'not-run',
  },
  'temporary-files': {
    program: `${FIND_PROCESS}
const fs2 = builtin('fs');
for (const folder of ['/tmp', '/dev/shm', '/var/tmp', '/run', '/']) try { fs2.writeFileSync(folder + '/tw-left', 'left') } catch {}
return 1;`,
    next: `${FIND_PROCESS}
if (!found) return 'clean';
const fs2 = builtin('fs');
const left = ['/tmp', '/dev/shm', '/var/tmp', '/run', '/'].filter((folder) => fs2.existsSync(folder + '/tw-left'));
return left.length === 0 ? 'clean' : left.join();`,
    badSandbox: 'not-run',
  },
  'fills-temporary-folders': {
    program: `${FIND_PROCESS}
const fs2 = builtin('fs');
let written = 0;
for (const folder of ['/tmp', '/dev/shm', '/workspace', '/var/tmp', '/run', '/']) try { const fd = fs2.openSync(folder + '/big', 'w'); while (written < 5e8) written += fs2.writeSync(fd, new Uint8Array(1e6)) } catch {}
return written;`,
    limits: { timeoutMs: 1_500 },
    judge: ({ result }) =>
      result.status === 'completed' && Number(result.value) >= 5e8 ? 'files are not limited' : undefined,
    badSandbox: 'not-run',
  },
};

export default attacks;
