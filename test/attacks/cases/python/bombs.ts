import type { Attacks } from '../../attack.ts';

const SHORT = { timeoutMs: 250 };
/** Enough time to reach the memory limit before the time limit. */
const FILLING = { timeoutMs: 800 };

const attacks: Attacks = {
  'cpu-loop': { program: 'while True: pass', limits: SHORT, badSandbox: 'not-run' },
  'cpu-catching': {
    program: `while True:
    try:
        while True: pass
    except BaseException: continue
    finally: continue`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'cpu-in-c': { program: 'sum(range(10 ** 15))', limits: SHORT, badSandbox: 'not-run' },
  'cpu-big-power': { program: 'result = len(str(7 ** (10 ** 8)))', limits: SHORT, badSandbox: 'not-run' },
  'cpu-in-the-loop': {
    program: `import asyncio
async def spin():
    while True: await asyncio.sleep(0)
await asyncio.gather(*[spin() for _ in range(100)])`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'cpu-in-threads': {
    program: `import threading
def spin():
    while True: pass
for _ in range(8): threading.Thread(target=spin).start()
result = 1`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'cpu-in-destructor': {
    program: `class Evil:
    def __del__(self):
        while True: pass
kept = Evil()
result = 1`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'cpu-in-comparison': {
    program: `class Evil:
    def __lt__(self, other): return True
    def __hash__(self): return 1
    def __eq__(self, other): return False
result = len({Evil() for _ in range(1_000_000)})`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'regular-expression': {
    program: `import re
re.match(r'(a+)+$', 'a' * 60 + 'b')`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'memory-bytes': {
    program: `kept = []
while True: kept.append(bytearray(b'x' * 1_000_000))`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-at-once': { program: `kept = b'x' * 10 ** 11`, limits: FILLING, badSandbox: 'not-run' },
  'memory-lists': {
    program: `kept = []
while True: kept.append([kept] * 10_000)`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-dictionary': {
    program: `kept = {}
while True: kept[len(kept)] = str(len(kept)) * 10`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-strings': {
    program: `text = 'x'
while True: text += text`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-catching': {
    program: `kept = []
while True:
    try: kept.append(bytearray(b'x' * 1_000_000))
    except MemoryError: continue`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-maps': {
    program: `import mmap
kept = []
while True:
    block = mmap.mmap(-1, 1 << 24)
    for at in range(0, 1 << 24, 4096): block[at] = 1
    kept.append(block)`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-in-children': {
    program: `import os
for _ in range(8):
    if os.fork() == 0:
        kept = []
        while True: kept.append(bytearray(b'x' * 1_000_000))
while True: pass`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-anonymous-files': {
    program: `import os
fd = os.memfd_create('x')
written = 0
while written < 1_000_000_000: written += os.write(fd, b'x' * 1_000_000)
result = written`,
    limits: FILLING,
    judge: ({ result }) => (result.status === 'completed' ? 'anonymous files are not limited' : undefined),
    badSandbox: 'not-run',
  },
  'memory-unpacked': {
    program: `import zlib
packed = zlib.compress(b'x' * 20_000_000)
kept = []
while True: kept.append(zlib.decompress(packed))`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'memory-pipes-and-sockets': {
    program: `import os, socket
kept = []
while len(kept) < 100_000:
    try: pair = socket.socketpair(); pair[0].setblocking(False); kept.append(pair); pair[0].send(b'x' * 200_000)
    except (OSError, BlockingIOError): break
result = len(kept)`,
    limits: FILLING,
    judge: ({ result }) =>
      result.status === 'completed' && Number(result.value) > 10_000 ? 'descriptors are not limited' : undefined,
    badSandbox: 'not-run',
  },
  'files-in-temporary-folders': {
    program: `import os
written = 0
for folder in ('/tmp', '/dev/shm', '/workspace', '/var/tmp', '/run', '/'):
    try:
        fd = os.open(folder + '/big', os.O_WRONLY | os.O_CREAT)
        while written < 500_000_000: written += os.write(fd, b'x' * 1_000_000)
    except OSError: pass
result = written`,
    limits: FILLING,
    judge: ({ result }) =>
      result.status === 'completed' && Number(result.value) >= 500_000_000 ? 'files are not limited' : undefined,
    badSandbox: 'not-run',
  },
  'names-in-temporary-folders': {
    program: `import os
made = 0
for folder in ('/tmp', '/dev/shm', '/workspace'):
    try:
        while made < 200_000: os.mkdir(folder + '/%d' % made); made += 1
    except OSError: pass
result = made`,
    limits: FILLING,
    judge: ({ result }) =>
      result.status === 'completed' && Number(result.value) >= 200_000 ? 'names are not limited' : undefined,
    badSandbox: 'not-run',
  },
  'deep-folders': {
    program: `import os
try: os.chdir('/tmp')
except OSError: pass
try:
    for _ in range(3_000): os.mkdir('d' * 100, 0o700); os.chdir('d' * 100)
except OSError: pass
result = 1`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  recursion: {
    program: `import sys
sys.setrecursionlimit(10 ** 9)
def dive(): return dive()
dive()`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'recursion-in-c': {
    program: `import sys
sys.setrecursionlimit(10 ** 9)
deep = []
for _ in range(10_000_000): deep = [deep]
result = repr(deep)`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'recursion-in-destructors': {
    program: `deep = None
for _ in range(2_000_000): deep = (deep,)
del deep
class Node: pass
head = None
for _ in range(200_000):
    node = Node(); node.next = head; head = node
result = 1`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'source-nesting': { program: `result = ${'('.repeat(50_000)}1${')'.repeat(50_000)}`, badSandbox: 'not-run' },
  'source-chain': { program: `result = ${'-'.repeat(200_000)}1`, badSandbox: 'not-run' },
  'source-of-attributes': { program: `result = x${'.a'.repeat(200_000)}`, badSandbox: 'not-run' },
  'source-of-strings': { program: `result = ${"f'{".repeat(500)}1${"}'".repeat(500)}`, badSandbox: 'not-run' },
  'source-evaluated': {
    program: `import ast
for text in ('(' * 1_000_000, '-' * 5_000_000 + '1', '[' * 90 + ']' * 90, 'a' + '.b' * 1_000_000, 'lambda: ' * 100_000):
    for work in (ast.literal_eval, ast.parse, eval, lambda t: compile(t, 'x', 'exec')):
        try: work(text)
        except BaseException: pass
result = 1`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'crash-null-pointer': { program: 'import ctypes; ctypes.string_at(0)', badSandbox: 'not-run' },
  'crash-in-bytecode': {
    program: `def f(): pass
f.__code__ = f.__code__.replace(co_code=bytes([124, 255, 83, 0] * 50), co_stacksize=0)
f()`,
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'crash-abort': { program: 'import os; os.abort()', badSandbox: 'not-run' },
  'crash-by-signal': {
    program: 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)',
    limits: FILLING,
    badSandbox: 'not-run',
  },
  'ends-early': { program: 'import os; os._exit(0)', badSandbox: 'not-run' },
  'ends-early-with-a-name': { program: `raise SystemExit('done')`, badSandbox: 'not-run' },
  'interrupts-itself': { program: 'raise KeyboardInterrupt', badSandbox: 'not-run' },
};

export default attacks;
