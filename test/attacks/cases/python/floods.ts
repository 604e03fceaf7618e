import type { Attacks } from '../../attack.ts';

const SHORT = { timeoutMs: 250 };

const attacks: Attacks = {
  print: {
    program: `while True: print('x' * 1_000)`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'print-empty': { program: 'while True: print()', limits: SHORT, badSandbox: 'not-run' },
  'print-huge': { program: `print('x' * 20_000_000); result = 1`, limits: { timeoutMs: 1_500 }, badSandbox: 'not-run' },
  'standard-streams': {
    program: `import os, sys
for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
    try: stream.write('x' * 100_000); stream.flush()
    except BaseException: pass
while True:
    for fd in (0, 1, 2):
        try: os.write(fd, b'x' * 100_000)
        except OSError: pass`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  warnings: {
    program: `import logging, warnings
while True:
    logging.error('x' * 1_000)
    warnings.warn('x' * 1_000)`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  progress: { program: `while True: progress({'x': 'y' * 1_000})`, limits: SHORT, badSandbox: 'not-run' },
  calls: {
    program: `kept = []
while True: kept.append(call_mcp_tool('tools__counter'))`,
    limits: { timeoutMs: 800, toolCalls: 2_000 },
    badSandbox: 'not-run',
  },
  answers: {
    program: `import asyncio
await asyncio.gather(*[call_mcp_tool('tools__big', {'bytes': 900_000}) for _ in range(200)])`,
    limits: { timeoutMs: 1_500 },
    badSandbox: 'not-run',
  },
  'answers-not-taken': {
    program: `import time
kept = [call_mcp_tool('tools__big', {'bytes': 900_000}) for _ in range(200)]
time.sleep(10)`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  timers: {
    program: `import asyncio
await asyncio.gather(*[asyncio.sleep(0.001 * (i % 7)) for i in range(200_000)])`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'sleeps-of-the-host': {
    program: `kept = [sleep(100_000) for _ in range(100_000)]
await kept[0]`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  searches: {
    program: `import asyncio
while True: await asyncio.gather(*[search_tools('x ' * 200) for _ in range(100)], return_exceptions=True)`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'file-bytes': {
    program: `for i in range(1_000):
    with open('f', 'a') as file: file.write('x' * 100_000)`,
    limits: { timeoutMs: 1_500, workspaceBytes: 1_000_000 },
    judge: ({ result }) => (result.status === 'completed' ? 'the bytes of files are not limited' : undefined),
    badSandbox: 'not-run',
  },
  'file-count': {
    program: `for i in range(50_000): write_file('f%d' % i, '')`,
    limits: { timeoutMs: 1_500, workspaceFiles: 200 },
    judge: ({ result }) => (result.status === 'completed' ? 'the number of files is not limited' : undefined),
    badSandbox: 'not-run',
  },
  modules: {
    program: `import importlib
for i in range(100_000):
    try: importlib.import_module('servers.none%d' % i)
    except ImportError: pass`,
    limits: SHORT,
    badSandbox: 'not-run',
  },
  'error-text': {
    program: `class Huge(Exception):
    def __str__(self): return 'm' * 20_000_000
Huge.__name__ = Huge.__qualname__ = 'n' * 1_000_000
raise Huge('x' * 5_000_000)`,
    limits: { timeoutMs: 1_500 },
    judge: ({ result }) => (JSON.stringify(result).length > 50_000 ? 'the error is not bounded' : undefined),
    badSandbox: 'not-run',
  },
  'error-chain': {
    program: `error = None
for i in range(50_000):
    following = ValueError(i); following.__cause__ = error; following.__context__ = error; error = following
error.__cause__ = error
raise ExceptionGroup('x' * 100_000, [error] * 10_000)`,
    limits: { timeoutMs: 1_500 },
    judge: ({ result }) => (JSON.stringify(result).length > 50_000 ? 'the error is not bounded' : undefined),
    badSandbox: 'not-run',
  },
  result: { program: `result = 'x' * 30_000_000`, limits: { timeoutMs: 1_500 }, badSandbox: 'not-run' },
  'arguments-that-wait': {
    program: `for i in range(64): call_mcp_tool('tools__stubborn', {'ms': 1_500})
text, values = {'value': 'x' * 10_000_000}, {'value': [{}] * 200_000}
while True:
    for args in (text, values): call_mcp_tool('tools__echo', args)`,
    badSandbox: 'not-run',
  },
};

export default attacks;
