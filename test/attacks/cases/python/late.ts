import type { Attacks } from '../../attack.ts';

/** Late work begins after this time, when its program has ended also on a busy machine. */
const LATE = '0.5';

/** The call counter of the tools is shared, so it shows calls that were made meanwhile. */
const COUNTED = `import asyncio
await asyncio.sleep(1)
'clean' if (await call_mcp_tool('tools__counter')) <= 3 else 'calls went on'`;

const NOT_WRITTEN = `import asyncio
await asyncio.sleep(1)
'late work was done' if 'late' in str(list_files('/workspace')) else 'clean'`;

const attacks: Attacks = {
  'thread-goes-on': {
    program: `import threading, time
def work():
    time.sleep(${LATE})
    while True: call_mcp_tool('tools__counter'); time.sleep(0.001)
threading.Thread(target=work).start()
result = 1`,
    next: COUNTED,
    badSandbox: 'not-run',
  },
  'thread-writes': {
    program: `import threading, time
def work():
    time.sleep(${LATE})
    write_file('/workspace/late', 'x')
threading.Thread(target=work, daemon=True).start()
result = 1`,
    next: NOT_WRITTEN,
    badSandbox: 'not-run',
  },
  'exit-handlers': {
    program: `import atexit, threading, weakref
class Thing: pass
thing = Thing()
for register in (atexit.register, threading._register_atexit, lambda work: weakref.finalize(thing, work)):
    for _ in range(5): register(lambda: call_mcp_tool('tools__counter'))
atexit.register(lambda: write_file('/workspace/late', 'x'))
result = 1`,
    next: COUNTED,
    badSandbox: 'not-run',
  },
  destructors: {
    program: `import sys
class Evil:
    def __del__(self):
        for _ in range(5): call_mcp_tool('tools__counter')
sys.kept = Evil()
cycle = [Evil()]; cycle.append(cycle)
del cycle
result = 1`,
    next: COUNTED,
    badSandbox: 'not-run',
  },
  'tasks-not-awaited': {
    program: `import asyncio
async def work():
    await asyncio.sleep(${LATE})
    while True: await call_mcp_tool('tools__counter')
tasks = [asyncio.create_task(work()), asyncio.ensure_future(work())]
asyncio.get_running_loop().call_later(${LATE}, lambda: write_file('/workspace/late', 'x'))
result = 1`,
    next: NOT_WRITTEN,
    badSandbox: 'not-run',
  },
  'calls-not-awaited': {
    program: `for _ in range(30): call_mcp_tool('tools__stubborn', {'ms': 100})
result = 1`,
    limits: { parallelCalls: 2 },
    badSandbox: 'not-run',
  },
  'loop-of-its-own': {
    program: `import asyncio, threading
def work():
    async def forever():
        while True: await asyncio.sleep(0.005); write_file('/workspace/late', 'x')
    asyncio.new_event_loop().run_until_complete(asyncio.wait_for(forever(), 5))
threading.Timer(${LATE}, work).start()
result = 1`,
    next: NOT_WRITTEN,
    badSandbox: 'not-run',
  },
  'alarm-after-end': {
    program: `import signal
signal.signal(signal.SIGALRM, lambda *_: call_mcp_tool('tools__counter'))
signal.setitimer(signal.ITIMER_REAL, ${LATE}, 0.002)
result = 1`,
    next: COUNTED,
    badSandbox: 'not-run',
  },
  'hooks-of-the-end': {
    program: `import sys, asyncio
sys.excepthook = sys.unraisablehook = lambda *a: call_mcp_tool('tools__counter')
asyncio.get_running_loop().set_exception_handler(lambda *a: call_mcp_tool('tools__counter'))
async def generator():
    try: yield 1
    finally:
        await asyncio.sleep(0.02)
        for _ in range(9): call_mcp_tool('tools__counter')
kept = generator()
await kept.__anext__()
raise ValueError('the end')`,
    next: COUNTED,
    badSandbox: 'not-run',
  },
  'cancellation-refused': {
    program: `import asyncio
async def stays():
    while True:
        try: await asyncio.sleep(0.001)
        except BaseException: call_mcp_tool('tools__counter')
kept = asyncio.create_task(stays())
await asyncio.sleep(0.01)
result = 1`,
    limits: { timeoutMs: 800 },
    next: NOT_WRITTEN,
    badSandbox: 'not-run',
  },
};

export default attacks;
