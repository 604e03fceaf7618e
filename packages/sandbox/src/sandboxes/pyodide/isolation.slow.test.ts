import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPython } from '../../../../../test/fixtures/pyodide.ts';
import { shortForm } from '../../../../../test/fixtures/short-form.ts';
import { pyodideSandbox } from '../pyodide.ts';
import type { Sandbox } from '../sandbox.ts';

const SECRET = 'planted-8f3a1c';
const MIB = 1024 * 1024;
let sandbox: Sandbox;

beforeAll(async () => {
  process.env.TOOLWRIGHT_PLANTED = SECRET;
  sandbox = await pyodideSandbox({ maxProcesses: 2 });
}, 300_000);

afterAll(async () => {
  delete process.env.TOOLWRIGHT_PLANTED;
  await sandbox?.[Symbol.asyncDispose]();
});

/** Attempts to reach JavaScript. Each sets `reached` to the found object. */
const WAYS_TO_JAVASCRIPT: Readonly<Record<string, string>> = {
  'import js': 'import js\nreached = js.process',
  'import pyodide_js': 'import pyodide_js\nreached = pyodide_js._module',
  'import pyodide': 'import pyodide\nreached = pyodide',
  'pyodide.code.run_js': 'from pyodide.code import run_js\nreached = run_js("process.version")',
  'pyodide.ffi': 'from pyodide.ffi import to_js, create_proxy\nreached = to_js([1])',
  _pyodide_core: 'import _pyodide_core\nreached = _pyodide_core',
  '_pyodide_core, imported again':
    'import sys\ndel sys.modules["_pyodide_core"]\nimport _pyodide_core\nreached = _pyodide_core',
  '_pyodide_core, its initializer': `import _imp, importlib.machinery as m
reached = _imp.create_builtin(m.ModuleSpec("_pyodide_core", m.BuiltinImporter))`,
  'run_js after the core': `import sys
del sys.modules["_pyodide_core"]
try:
    import _pyodide_core
except BaseException: pass
from pyodide.code import run_js
reached = run_js("1")`,
  '_pyodide._importhook': `from _pyodide._importhook import register_js_finder, jsfinder
register_js_finder()
import js
reached = js`,
  'sys.modules': `import sys
found = [n for n, m in sys.modules.items() if m is not None and (n in ("js", "pyodide_js", "pyodide") or "Js" in type(m).__name__)]
if found: reached = found`,
  'objects of the collector': `import gc
found = [o for o in gc.get_objects() if "JsProxy" in type(o).__name__ and not isinstance(o, type)]
if found: reached = found`,
  'class JsProxy': `proxy = [c for c in object.__subclasses__() if c.__name__ == "JsProxy"]
made = [c() for c in proxy] + [object.__new__(c) for c in proxy] + [c.__new__(c) for c in proxy]
for one in made: reached = one.constructor("return process")()`,
  'class JsProxy, its attributes': `proxy = [c for c in object.__subclasses__() if c.__name__ == "JsProxy"]
for c in proxy: reached = [getattr(c, name) for name in ("new", "to_py", "object_entries")][0](c)`,
  'class JsNull': `for c in object.__subclasses__():
    if c.__name__ == "JsNull": reached = c().constructor`,
  ctypes: 'import ctypes\nreached = ctypes.pythonapi.emscripten_run_script_string(b"process.version")',
  '_ctypes, imported again': `import sys
del sys.modules["_ctypes"]
import ctypes
reached = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)()`,
  'a library of its own': `import _imp, importlib.machinery as m
open("/tmp/x.so", "wb").write(b"\\0asm\\1\\0\\0\\0")
reached = _imp.create_dynamic(m.ModuleSpec("x", None, origin="/tmp/x.so"))`,
};

describe('JavaScript', () => {
  it.each(shortForm(Object.keys(WAYS_TO_JAVASCRIPT), 6))('is not reached by %s', async (way) => {
    const { value, error } = await runPython(
      sandbox,
      `reached = None\n${WAYS_TO_JAVASCRIPT[way]}\nresult = repr(reached)`,
    );
    if (error === undefined) expect(value).toBe('None');
    else expect(error).toMatch(/^(ModuleNotFoundError|ImportError|PermissionError|TypeError|AttributeError|OSError): /);
  });

  it('ends a program that reaches the bridge, even if it catches all errors', async () => {
    const code = `import sys
del sys.modules["_pyodide_core"]
try:
    import _pyodide_core
except BaseException:
    pass
result = "went on"`;
    const { error } = await runPython(sandbox, code);
    expect(error).toMatch(/^PermissionError: Nothing outside of Python can be reached from it/);
  });
});

/** Attempts that must raise an error, or return the data of a bare interpreter in memory. */
const WAYS_OUT: Readonly<Record<string, readonly [string, RegExp]>> = {
  'the environment': ['import os\nresult = dict(os.environ)', /"HOME":"\/workspace"/],
  'files of the host': ['result = open("/etc/passwd").read()', /No such file/],
  'files of the host by os.open': ['import os\nresult = os.open("/etc/passwd", os.O_RDONLY)', /No such file/],
  'the root folder': [
    'import os\nresult = sorted(os.listdir("/"))',
    /^\["dev","home","lib","proc","tmp","usr","workspace"\]$/,
  ],
  'the guest runtime': ['import os\nresult = os.listdir("/lib/python3.14/site-packages")', /^\[\]$/],
  '/proc': ['result = open("/proc/self/environ").read()', /No such file/],
  'another way to the channel': ['import os\nresult = sorted(os.listdir("/dev"))', /^((?!channel).)*$/],
  'os.system': ['import os\nresult = os.system("id")', /^-1$/],
  subprocess: ['import subprocess\nresult = subprocess.run(["id"])', /does not support processes/],
  fork: ['import os\nresult = os.fork()', /Function not implemented/],
  exec: ['import os\nos.execv("/bin/sh", ["sh"])', /Exec format error|No such file/],
  threads: ['import threading\nthreading.Thread(target=print).start()', /can't start new thread/],
  'a socket': ['import socket\nresult = socket.socket()', /Function not implemented/],
  'a connection': ['import socket\nresult = socket.create_connection(("127.0.0.1", 80))', /gaierror|not implemented/],
  urllib: [
    'import urllib.request\nresult = urllib.request.urlopen("http://127.0.0.1:9").read()',
    /urlopen error|not implemented/i,
  ],
  'standard input': ['import os\nresult = os.read(0, 10).hex()', /^""$|Error/],
};

describe('the host', () => {
  it.each(shortForm(Object.keys(WAYS_OUT), 6))('%s', async (way) => {
    const [code, expected] = WAYS_OUT[way] ?? ['', /$^/];
    const { value, error } = await runPython(sandbox, code);
    const shown = error ?? JSON.stringify(value);
    expect(shown).toMatch(expected);
    expect(shown).not.toContain(SECRET);
  });
});

describe('memory', () => {
  it.each([
    ['growing texts', 'a = []\nwhile True: a.append("x" * 100_000 + str(len(a)))'],
    ['growing arrays of bytes', 'a = []\nwhile True: a.append(bytearray(1_000_000))'],
    ['small objects', 'a = []\nwhile True: a.append({"a": len(a)})'],
    ['one huge value', 'result = len(bytes(1_000_000_000))'],
    ['one huge number', 'result = 1 << 8_000_000_000'],
  ])('%s end at the limit', async (_name, code) => {
    expect(await runPython(sandbox, code, { memoryBytes: 32 * MIB })).toMatchObject({ stopped: 'memory' });
  });

  it('provides a program with the permitted memory', async () => {
    const code = 'result = len(bytearray(40_000_000))';
    expect(await runPython(sandbox, code, { memoryBytes: 64 * MIB })).toMatchObject({ value: 40_000_000 });
  });

  it.each([
    ['a file', 'f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)\nwhile True: os.write(f, b"x" * 1_000_000)'],
    ['many files', 'for n in range(10_000): open(f"/tmp/{n}", "wb").write(b"x" * 1_000_000)'],
    [
      'files without names',
      'while True:\n    f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)\n    os.write(f, b"x" * 1_000_000)\n    os.unlink("/tmp/f")',
    ],
    ['a file that is made longer', 'os.truncate(os.open("/tmp/f", os.O_RDWR | os.O_CREAT), 1 << 31)'],
    ['a file with a hole', 'f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)\nos.pwrite(f, b"x", 1 << 30)'],
  ])('%s in memory counts', async (_name, code) => {
    const { error } = await runPython(sandbox, `import os\n${code}`, { memoryBytes: 32 * MIB });
    expect(error).toMatch(/OSError: .*No space left on device/);
  });

  it('survives endless recursion of any kind', async () => {
    const kinds = [
      'def f(): return f() + 1\nf()',
      'import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1) + 1\nf(0)',
      'x = []\nfor i in range(200_000): x = [x]\nrepr(x)',
      'class A:\n    def __getattr__(self, name): return getattr(self, name + "x")\nA().a',
      'import json\nresult = json.loads("[" * 200_000)',
      'result = eval("(" * 5_000 + ")" * 5_000)',
    ];
    for (const code of kinds) {
      const { value, error, stopped } = await runPython(sandbox, code, { memoryBytes: 32 * MIB });
      expect(value, code).toBeUndefined();
      expect(error ?? stopped, code).toMatch(/RecursionError|nest|memory/);
    }
    expect(await runPython(sandbox, 'result = 1')).toMatchObject({ value: 1 });
  });
});

it('reports a program that ends its process', async () => {
  expect((await runPython(sandbox, 'import os\nos._exit(3)')).error).toContain('os._exit(3)');
  expect((await runPython(sandbox, 'import posix\nposix._exit(3)')).error).toContain('exit code 3');
  expect((await runPython(sandbox, 'import os\nos.abort()')).error).toContain('exit code 134');
});
