import type { Attacks } from '../../attack.ts';
import { stealInPython } from '../../preludes.ts';

const attacks: Attacks = {
  'subclasses-walk': {
    makeProgram: (canaries) =>
      stealInPython(
        canaries,
        `next(c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close').__init__.__globals__`,
      ),
    badSandbox: 'caught',
  },
  'loader-in-subclasses': {
    makeProgram: (canaries) =>
      stealInPython(
        canaries,
        `vars(next(c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter').load_module('posix')) | {'environ': __import__('os').environ}`,
      ),
    badSandbox: 'caught',
  },
  'function-globals': {
    makeProgram: (canaries) =>
      stealInPython(canaries, `vars(call_mcp_tool.__globals__['__builtins__']['__import__']('os'))`),
    badSandbox: 'not-run',
  },
  'builtins-of-a-method': {
    makeProgram: (canaries) => stealInPython(canaries, `vars(print.__self__.__import__('os'))`),
    badSandbox: 'not-run',
  },
  'import-os': {
    makeProgram: (canaries) => stealInPython(canaries, `vars(__import__('os'))`),
    badSandbox: 'caught',
  },
  'import-library': {
    makeProgram: (canaries) => stealInPython(canaries, `vars(__import__('importlib').import_module('os'))`),
    badSandbox: 'caught',
  },
  'sys-modules': {
    makeProgram: (canaries) => stealInPython(canaries, `vars(__import__('sys').modules['os'])`),
    badSandbox: 'caught',
  },
  'exec-and-compile': {
    makeProgram: (canaries) =>
      stealInPython(canaries, `(lambda n: exec(compile('import os', 'x', 'exec'), n) or vars(n['os']))({})`),
    badSandbox: 'caught',
  },
  'frames-back': {
    makeProgram: (canaries) =>
      stealInPython(
        canaries,
        `(lambda walk: walk(walk, __import__('sys')._getframe()))(lambda walk, f: walk(walk, f.f_back) if f.f_back else vars(f.f_builtins['__import__']('os')))`,
      ),
    badSandbox: 'caught',
  },
  'generator-frame': {
    makeProgram: (canaries) =>
      `def outer():
    generator = (generator.gi_frame.f_back.f_back for _ in [1])
    return next(generator)
frame = outer()
${stealInPython(canaries, `vars(frame.f_builtins['__import__']('os'))`)}`,
    badSandbox: 'caught',
  },
  'coroutine-frame': {
    makeProgram: (canaries) =>
      `async def waits(): pass
waiting = waits()
frame = waiting.cr_frame
waiting.close()
${stealInPython(canaries, `vars(frame.f_builtins['__import__']('os'))`)}`,
    badSandbox: 'caught',
  },
  'traceback-frame': {
    makeProgram: (canaries) =>
      `try: 1 / 0
except ZeroDivisionError as error: frame = error.__traceback__.tb_frame
${stealInPython(canaries, `vars(frame.f_builtins['__import__']('os'))`)}`,
    badSandbox: 'caught',
  },
  'pickle-reduce': {
    makeProgram: (canaries) =>
      `import pickle
class Evil:
    def __reduce__(self): return (eval, ("__import__('os').__dict__['environ']",))
environ = pickle.loads(pickle.dumps(Evil()))
${stealInPython(canaries, `vars(__import__('os')) | {'environ': environ}`)}`,
    badSandbox: 'caught',
  },
  'marshalled-code': {
    makeProgram: (canaries) =>
      `import marshal, types
code = marshal.loads(marshal.dumps(compile("import os; names = vars(os)", 'x', 'exec')))
space = {'__builtins__': __builtins__}
types.FunctionType(code, space)()
${stealInPython(canaries, `space['names']`)}`,
    badSandbox: 'caught',
  },
  'interpreter-of-its-own': {
    makeProgram: (canaries) =>
      `import ctypes
ctypes.pythonapi.PyRun_SimpleString(b"import os, sys; sys.stolen = vars(os)")
${stealInPython(canaries, `__import__('sys').stolen`)}`,
    badSandbox: 'caught',
  },
  subinterpreter: {
    makeProgram: ({ secretFile, canaryFile }) =>
      `import _xxsubinterpreters as interpreters
interpreters.run_string(interpreters.create(), "open('${canaryFile}', 'w').write(open('${secretFile}').read())")`,
    badSandbox: 'caught',
  },
  'garbage-collector': {
    program: `import gc, sys
found = [item for item in gc.get_objects() if isinstance(item, dict)]
found += [value for module in list(sys.modules.values()) for value in list(vars(module).values())]
result = [text for text in (str(item)[:100_000] for item in found) if 'S3cret' in text][:20]`,
    badSandbox: 'caught',
  },
  'trace-of-the-runtime': {
    program: `import sys
seen = set()
def trace(frame, event, argument):
    for name, value in list(frame.f_locals.items()): seen.add(name + '=' + str(value)[:200])
    return trace
sys.settrace(trace)
sys.setprofile(trace)
await call_mcp_tool('tools__text')
sys.settrace(None)
sys.setprofile(None)
result = sorted(seen)[:2000]`,
    badSandbox: 'not-run',
  },
  'audit-hook': {
    program: `import sys
sys.addaudithook(lambda event, args: (_ for _ in ()).throw(RuntimeError('no')) if event.startswith(('open', 'os.', 'import')) else None)
result = 1`,
    badSandbox: 'not-run',
  },
  'class-of-runtime-objects': {
    program: `class Evil(type(call_mcp_tool('tools__text'))):
    def __await__(self): yield from ()
    def __del__(self): call_mcp_tool('tools__counter')
for item in (call_mcp_tool, print, open, ToolError, ToolError.__init__, call_mcp_tool('tools__text')):
    for name, value in (('__class__', Evil), ('__code__', (lambda *a, **k: 1).__code__), ('__defaults__', ('x',)), ('__globals__', {}), ('__dict__', {}), ('__bases__', (Exception,))):
        try: setattr(item, name, value)
        except BaseException: pass
result = 1`,
    badSandbox: 'not-run',
  },
  'javascript-of-pyodide': {
    makeProgram: ({ envName, secretFile }) => `loot = []
for code in ("__import__('js').process.env.${envName}", "__import__('js').Function('return process')().env.${envName}",
             "__import__('js').Object.constructor('return process')().getBuiltinModule('node:fs').readFileSync('${secretFile}', 'utf8')",
             "__import__('js').globalThis.require('fs').readFileSync('${secretFile}', 'utf8')",
             "__import__('pyodide_js')._module.FS.filesystems.NODEFS", "__import__('pyodide').code.run_js('process.version')",
             "__import__('pyodide.code').code.run_js('process.version')", "__import__('_pyodide_core').__dict__",
             "__import__('pyodide_js').mountNodeFS('/mnt/host', '/')", "open('/mnt/host${secretFile}').read()"):
    try: loot.append(str(eval(code))[:2000])
    except BaseException as error: loot.append(type(error).__name__)
result = loot`,
    judge: ({ result }) => (/v\d+\.\d+\.\d+/.test(JSON.stringify(result)) ? 'JavaScript was run' : undefined),
    badSandbox: 'not-run',
  },
  'javascript-proxies': {
    makeProgram: ({ secretFile }) => `import gc, sys
loot = []
proxies = [item for item in gc.get_objects() if 'JsProxy' in str(type(item).__mro__)]
proxies += [value for module in list(sys.modules.values()) for value in list(getattr(module, '__dict__', {}).values()) if 'Js' in type(value).__name__]
proxies += [cell.cell_contents for item in gc.get_objects() for cell in (getattr(item, '__closure__', None) or ()) if 'Js' in type(cell).__name__ or 'Js' in str(type(getattr(cell, 'cell_contents', 0)))]
for proxy in proxies:
    for path in (('constructor', 'constructor'), ('constructor',)):
        try:
            target = proxy
            for name in path: target = getattr(target, name)
            loot.append(str(target('return process.version + process.getBuiltinModule("node:fs").readFileSync("${secretFile}", "utf8")')()))
        except BaseException as error: loot.append(type(error).__name__)
result = loot[:200]`,
    judge: ({ result }) => (/v\d+\.\d+\.\d+/.test(JSON.stringify(result)) ? 'JavaScript was run' : undefined),
    badSandbox: 'not-run',
  },
  'javascript-by-emscripten': {
    program: `import ctypes
loot = []
for name in ('emscripten_run_script', 'emscripten_run_script_string', 'emscripten_run_script_int', 'emscripten_asm_const_int', 'run_js', 'JsvObject_CallMethod', 'hiwire_get_value'):
    try:
        call = getattr(ctypes.CDLL(None), name)
        call.restype = ctypes.c_char_p
        loot.append(str(call(b"process.version")))
    except BaseException as error: loot.append(type(error).__name__)
result = loot`,
    judge: ({ result }) => (/v\d+\.\d+\.\d+/.test(JSON.stringify(result)) ? 'JavaScript was run' : undefined),
    badSandbox: 'not-run',
  },
};

export default attacks;
