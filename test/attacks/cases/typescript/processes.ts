import type { Attacks } from '../../attack.ts';
import { FIND_PROCESS, RAW_NODE_CHANNEL } from '../../preludes.ts';

const attacks: Attacks = {
  'own-interpreter': {
    makeProgram: ({ secretFile, canaryFile }) => `${FIND_PROCESS}
const { spawnSync } = builtin('child_process');
const code = \`const fs = require('fs'); console.log(fs.readFileSync('${secretFile}', 'utf8')); fs.writeFileSync('${canaryFile}', 'stolen')\`;
return ['/proc/self/exe', found.execPath, 'node'].map((path) => String(spawnSync(path, ['-e', code], { timeout: 1_000 }).stdout));`,
    badSandbox: 'caught',
  },
  shell: {
    makeProgram: ({ secretFile }) => `${FIND_PROCESS}
const { spawnSync } = builtin('child_process');
return [['cat', '${secretFile}'], ['/bin/sh', '-c', 'cat ${secretFile}'], ['busybox', 'cat', '${secretFile}'], ['python3', '-c', 'print(open("${secretFile}").read())']].map(([path, ...args]) => String(spawnSync(path, args, { timeout: 500 }).stdout));`,
    badSandbox: 'caught',
  },
  'daemon-that-calls-later': {
    makeProgram: ({ processName }) => `${RAW_NODE_CHANNEL}
const code = \`process.title = '${processName}'; try { require('fs').writeFileSync('/proc/self/comm', '${processName}') } catch {} for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(name, () => 0); setInterval(() => { const text = '["call","tools__counter",{}]'; const bytes = Buffer.alloc(9 + text.length); bytes.writeUInt32BE(5 + text.length); bytes[4] = 2; bytes.writeUInt32BE(4000000000, 5); bytes.write(text, 9); for (let fd = 3; fd < 32; fd++) try { require('fs').writeSync(fd, bytes) } catch {} }, 10); setTimeout(() => process.exit(), 8_000)\`;
builtin('child_process').spawn('/proc/self/exe', ['-e', code], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 3, 4, 5] }).unref();
await sleep(100);
return 1;`,
    lingerMs: 100,
    badSandbox: 'not-run',
  },
  'daemon-that-sleeps': {
    makeProgram: ({ processName }) => `${FIND_PROCESS}
const code = "try { require('fs').writeFileSync('/proc/self/comm', '${processName}') } catch {} setTimeout(() => process.exit(), 8_000)";
builtin('child_process').spawn('/proc/self/exe', ['-e', code], { detached: true, stdio: 'ignore' }).unref();
await sleep(200);
return 1;`,
    badSandbox: 'caught',
  },
  'fork-bomb': {
    program: `${FIND_PROCESS}
const { spawn } = builtin('child_process');
for (;;) try { spawn('/proc/self/exe', ['-e', 'for (;;) require("child_process").spawn(process.execPath, process.argv.slice(1))'], { detached: true, stdio: 'ignore' }) } catch {}`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'thread-bomb': {
    program: `${FIND_PROCESS}
const { Worker } = builtin('worker_threads');
const kept = [];
for (;;) try { kept.push(new Worker('for (;;);', { eval: true })) } catch {}`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'kills-everything': {
    program: `${FIND_PROCESS}
for (const signal of ['SIGTERM', 'SIGSTOP', 'SIGKILL']) for (const pid of [-1, 0, 1, found.ppid]) try { found.kill(pid, signal) } catch {}
return 1;`,
    limits: { timeoutMs: 500 },
    badSandbox: 'not-run',
  },
  'stops-itself': {
    program: `${FIND_PROCESS}
found.kill(found.pid, 'SIGSTOP');
return 1;`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'exits-early': {
    program: `${FIND_PROCESS}
for (const end of [() => found.exit(0), () => found.reallyExit(0), () => found.abort(), () => found.kill(found.pid, 'SIGKILL')]) try { end() } catch {}
throw new Error('no way to end early');`,
    limits: { timeoutMs: 500 },
    badSandbox: 'not-run',
  },
  aborts: {
    program: `${FIND_PROCESS}
found.abort();`,
    limits: { timeoutMs: 500 },
    badSandbox: 'not-run',
  },
  'handlers-that-catch-all': {
    program: `${FIND_PROCESS}
for (const name of ['uncaughtException', 'unhandledRejection', 'exit', 'beforeExit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGALRM']) found.on(name, () => { for (;;); });
found.emit = () => true;
found.exit = found.reallyExit = found.abort = () => 0;
throw new Error('caught?');`,
    limits: { timeoutMs: 500 },
    badSandbox: 'not-run',
  },
  'debugs-itself': {
    program: `${FIND_PROCESS}
try { found._debugProcess(found.ppid) } catch {}
try { found._startProfilerIdleNotifier?.(); found._debugEnd?.() } catch {}
found.kill(found.pid, 'SIGUSR1');
await sleep(50);
return 1;`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
};

export default attacks;
