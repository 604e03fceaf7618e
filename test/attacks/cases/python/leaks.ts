import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'format-strings': {
    program: `loot = []
for item in (call_mcp_tool, print, open, ToolError, search_tools, sleep):
    for path in ('{0.__globals__}', '{0.__code__.co_filename}', '{0.__module__}', '{0.__init__.__globals__}', '{0.__func__.__globals__}', '{0.__doc__}', '{0.__wrapped__}', '{0.__closure__}'):
        try: loot.append(path.format(item)[:20_000])
        except BaseException: pass
result = loot`,
    badSandbox: 'not-run',
  },
  tracebacks: {
    program: `import traceback, asyncio
loot = []
async def attempt(work):
    try:
        found = work()
        if hasattr(found, '__await__'): await found
    except BaseException as error:
        loot.append(''.join(traceback.format_exception(error)))
        loot.append(str(vars(error)))
for work in (lambda: call_mcp_tool('tools__fail', {}), lambda: call_mcp_tool('tools__defect'), lambda: call_mcp_tool('none'), lambda: open('missing'), lambda: read_file('/x/y'), lambda: load_skill('none'), lambda: __import__('nowhere'), lambda: search_tools(5), lambda: progress(object())):
    await attempt(work)
result = loot`,
    judge: ({ result }) =>
      /secret of the host|\/opt\/host/.test(JSON.stringify(result)) ? 'an error of the host got out' : undefined,
    badSandbox: 'not-run',
  },
  'uncaught-error-of-the-host': {
    program: `await call_mcp_tool('tools__defect')`,
    judge: ({ result }) =>
      /secret of the host|\/opt\/host/.test(JSON.stringify(result)) ? 'an error of the host got out' : undefined,
    badSandbox: 'not-run',
  },
  'paths-of-the-interpreter': {
    program: `import inspect, os, platform, sys, sysconfig
loot = [sys.argv, sys.orig_argv, sys.path, sys.executable, sys.flags, os.getcwd(), platform.platform(), str(os.environ), sys.modules['__main__'], vars(sys.modules['__main__']), sys._framework]
for name, module in list(sys.modules.items()): loot.append([name, getattr(module, '__file__', None), getattr(module, '__cached__', None)])
try: loot.append(inspect.getsource(call_mcp_tool))
except BaseException as error: loot.append(repr(error))
result = str(loot)[:200_000]`,
    badSandbox: 'not-run',
  },
  'name-of-the-machine': {
    program: `import os, socket
result = [list(os.uname()) if hasattr(os, 'uname') else '', socket.gethostname()]`,
    judge: ({ result }, { hostname }) =>
      JSON.stringify(result).includes(hostname) ? 'the name of the host got out' : undefined,
    badSandbox: 'caught',
  },
  'own-memory': {
    program: `import os, re
loot = []
with os.fdopen(os.open('/proc/self/maps', 0)) as file: maps = file.read()
memory = os.open('/proc/self/mem', 0)
for start, end in re.findall('^([0-9a-f]+)-([0-9a-f]+) rw', maps, re.M):
    first, last = int(start, 16), int(end, 16)
    for at in range(first, min(last, first + 30_000_000), 1_000_000):
        try: data = os.pread(memory, min(1_000_100, last - at), at)
        except OSError: break
        loot += re.findall(rb'S3[c]ret[0-9a-f]{24}', data)
result = [text.decode() for text in set(loot)]`,
    badSandbox: 'caught',
  },
  'memory-not-initialised': {
    program: `import ctypes, re
loot = []
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
for size in (100, 1_000, 10_000, 100_000, 1_000_000):
    for _ in range(200):
        address = libc.malloc(ctypes.c_size_t(size))
        loot += re.findall(rb'S3[c]ret[0-9a-f]{24}', ctypes.string_at(address, size))
result = [text.decode() for text in set(loot)]`,
    badSandbox: 'not-run',
  },
  'values-of-the-victim': {
    program: `import gc
texts = [str(await list_mcp_tools()), str(await search_tools('S3' + 'cret')), str(await call_mcp_tool('tools__nothing'))]
for tool in await list_mcp_tools(): texts.append(str(await get_mcp_tool_details(tool['name'])))
texts += [item for item in gc.get_objects() if isinstance(item, str)]
result = [text[:1000] for text in texts if ('S3' + 'cret') in text]`,
    badSandbox: 'not-run',
  },
  'syntax-errors': {
    program: `write_file('bad.py', 'def (:')
import traceback
try: import bad
except BaseException: result = traceback.format_exc()`,
    badSandbox: 'not-run',
  },
  'names-of-functions': {
    program: `def dive(n):
    if n == 0: raise ValueError('deep')
    dive(n - 1)
dive.__code__ = dive.__code__.replace(co_name='n' * 8_000)
dive(20)`,
    judge: ({ result }) =>
      JSON.stringify(result).length > 10_000 ? 'the frames of a stack are not bounded' : undefined,
    badSandbox: 'not-run',
  },
};

export default attacks;
