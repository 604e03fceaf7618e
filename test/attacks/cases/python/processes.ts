import type { Attacks } from '../../attack.ts';
import type { Canaries } from '../../canaries.ts';
import { RAW_CHANNEL } from '../../preludes.ts';

/** Returns Python that starts a daemon. Its name is one that the host looks for, and it continues with `work`. */
const daemon = ({ processName }: Canaries, work: string) => `${RAW_CHANNEL}
import signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with os.fdopen(os.open('/proc/self/comm', os.O_WRONLY), 'w') as file: file.write('${processName}')
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
${work.replaceAll(/^/gm, '        ')}
    os._exit(0)
time.sleep(0.05)
`;

/** The host would answer `time.sleep` of a program, on the channel that the daemon shares with it. */
const SLEEP = 'import select; select.select([], [], [], 30)';

const LATE_CALLS = `for i in range(20):
    write(frame(REQUEST, 4_000_000_000 + i, '["call","tools__counter",{}]'))
    time.sleep(0.02)`;

const COUNTED = `import asyncio
await asyncio.sleep(0.2)
'clean' if (await call_mcp_tool('tools__counter')) <= 10 else 'calls went on'`;

const attacks: Attacks = {
  'daemon-that-calls-later': {
    makeProgram: (canaries) => `${daemon(canaries, LATE_CALLS)}\nresult = 1`,
    next: COUNTED,
    lingerMs: 300,
    badSandbox: 'not-run',
  },
  'daemon-that-sleeps': {
    makeProgram: (canaries) => `${daemon(canaries, SLEEP)}\nresult = 1`,
    badSandbox: 'caught',
  },
  'daemon-that-spins': {
    makeProgram: (canaries) => `${daemon(canaries, 'while True: pass')}\nresult = 1`,
    badSandbox: 'not-run',
  },
  'daemon-of-a-killed-program': {
    makeProgram: (canaries) => `${daemon(canaries, SLEEP)}\nwhile True: pass`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'daemon-that-forks-away': {
    makeProgram: (canaries) =>
      `${daemon(
        canaries,
        `for i in range(100_000):
    try:
        if os.fork() > 0: os._exit(0)
    except OSError: pass`,
      )}\nresult = 1`,
    badSandbox: 'not-run',
  },
  'daemon-in-place-of-the-next': {
    makeProgram: (canaries) =>
      `${daemon(
        canaries,
        `for i in range(100):
    write(frame(DONE, 0, '"stolen"'))
    write(frame(READY, 0, 'null'))
    time.sleep(0.005)`,
      )}\nresult = 1`,
    badSandbox: 'not-run',
  },
  'fork-bomb': {
    program: `import os
while True:
    try: os.fork()
    except OSError: pass`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'thread-bomb': {
    program: `import threading, time
threads = 0
while threads < 20_000:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    threads += 1
result = threads`,
    limits: { timeoutMs: 800 },
    judge: ({ result }) => (result.status === 'completed' ? 'threads are not limited' : undefined),
    badSandbox: 'not-run',
  },
  'all-signals-ignored': {
    program: `import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
try: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
except (AttributeError, ValueError): pass
while True:
    try:
        while True: pass
    except BaseException: pass`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'alarm-handlers': {
    program: `import signal
def again(*_): signal.setitimer(signal.ITIMER_REAL, 0.001)
signal.signal(signal.SIGALRM, again)
again()
result = 1`,
    badSandbox: 'not-run',
  },
  'kills-everything': {
    program: `import os
for number in (15, 19, 9):
    for pid in (-1, 0, 1, os.getppid()):
        try: os.kill(pid, number)
        except OSError: pass
result = 1`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'kills-its-parent': {
    program: `import os, signal
os.kill(os.getppid(), signal.SIGKILL)
result = 1`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'stops-its-parent': {
    program: `import os, signal
os.kill(os.getppid(), signal.SIGSTOP)
result = 1`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'stops-itself': {
    program: `import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
result = 1`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  shell: {
    makeProgram: ({ secretFile, canaryFile }) => `import os, subprocess
loot = []
for work in (lambda: subprocess.run(['cat', '${secretFile}'], capture_output=True).stdout, lambda: subprocess.run('echo stolen > ${canaryFile}', shell=True), lambda: os.popen('id; cat ${secretFile}').read(), lambda: os.system('busybox cat ${secretFile}'), lambda: os.posix_spawn('/bin/cat', ['cat', '${secretFile}'], {})):
    try: loot.append(str(work()))
    except BaseException as error: loot.append(repr(error).replace('${secretFile}', ''))
result = loot`,
    badSandbox: 'caught',
  },
  'own-interpreter': {
    makeProgram: ({ secretFile, canaryFile }) => `import subprocess, sys
code = "import os; print(open('${secretFile}').read()); open('${canaryFile}', 'w').write('stolen')"
loot = []
for path in (sys.executable, '/proc/self/exe', 'python3', 'node'):
    try: loot.append(subprocess.run([path, '-c', code], capture_output=True, timeout=1).stdout.decode())
    except BaseException as error: loot.append(type(error).__name__)
result = loot`,
    badSandbox: 'caught',
  },
  'replaces-itself': {
    program: `import os
os.execv('/proc/self/exe', ['python3', '-c', 'import time; time.sleep(60)'])`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'set-user-id-programs': {
    program: `import os, stat, subprocess
found = []
for folder in ('/bin', '/usr/bin', '/sbin', '/usr/sbin', '/usr/lib', '/tmp', '/usr/libexec', '/usr/local/bin'):
    for name in (os.listdir(folder) if os.path.isdir(folder) else []):
        path = folder + '/' + name
        try:
            if os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID): found.append(path)
        except OSError: pass
taken = []
for path in found[:20]:
    for argument in ('-c', '--version'):
        try: output = subprocess.run([path, argument, 'id -u'], capture_output=True, timeout=0.2, stdin=subprocess.DEVNULL).stdout
        except BaseException: continue
        if output.strip() == b'0': taken.append(path)
result = taken`,
    judge: ({ result }) =>
      result.status === 'completed' && JSON.stringify(result.value) !== '[]' ? 'it became root' : undefined,
    badSandbox: 'not-run',
  },
  multiprocessing: {
    makeProgram: ({ secretFile }) => `import multiprocessing
context = multiprocessing.get_context('fork')
queue = context.SimpleQueue()
def work(): queue.put(__import__('io').open('${secretFile}').read())
process = context.Process(target=work)
process.start()
process.join(1)
result = queue.get() if not queue.empty() else 'nothing'`,
    badSandbox: 'caught',
  },
  'pseudo-terminal': {
    program: `import os, pty
pid, fd = pty.fork()
if pid == 0: os._exit(0)
result = 1`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
};

export default attacks;
