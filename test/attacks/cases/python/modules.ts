import type { Attacks } from '../../attack.ts';

/** Writes a file to the attacker's workspace, for the next execution. */
const shadow = (names: readonly string[]) => `for name in ${JSON.stringify(names)}:
    write_file('/workspace/' + name + '.py', "import sys\\nsys.shadowed = '" + name + "'\\ndef dumps(*a, **k): return '\\"shadowed\\"'\\ndef loads(*a, **k): return 'shadowed'\\n")
    write_file('/workspace/' + name + '/__init__.py', "import sys\\nsys.shadowed = '" + name + "'\\n")
result = 1`;

const NOT_SHADOWED = `import sys
'clean' if not hasattr(sys, 'shadowed') and (await call_mcp_tool('tools__echo', {'value': 1})) == 1 else 'shadowed: ' + sys.shadowed`;

const attacks: Attacks = {
  'shadowed-standard-library': {
    program: shadow([
      'json',
      'os',
      'asyncio',
      'struct',
      're',
      'random',
      'traceback',
      'types',
      'ast',
      'inspect',
      'collections',
    ]),
    next: NOT_SHADOWED,
    badSandbox: 'not-run',
  },
  'shadowed-start': {
    program: shadow([
      'sitecustomize',
      'usercustomize',
      'site',
      'encodings',
      'codecs',
      'io',
      'abc',
      'main',
      'runtime',
      '__main__',
    ]),
    next: NOT_SHADOWED,
    badSandbox: 'not-run',
  },
  'shadowed-runtime': {
    program: shadow('toolwright servers skills bridge channel engine platform program results'.split(' ')),
    next: `import sys
from toolwright import call_mcp_tool as call
from servers.tools import add
'clean' if not hasattr(sys, 'shadowed') and (await add(a=1, b=2))['sum'] == 3 and (await call('tools__text')) == 'plain text' else 'shadowed'`,
    badSandbox: 'not-run',
  },
  'shadowed-in-memory': {
    program: `import sys, types
for name in ('json', 'toolwright', 'servers', 'servers.tools', 'asyncio', 'struct'):
    fake = types.ModuleType(name)
    fake.__getattr__ = lambda attribute: (lambda *a, **k: 'shadowed')
    sys.modules[name] = fake
result = 1`,
    next: `import json
from servers.tools import add
'clean' if json.dumps(1) == '1' and (await add(a=1, b=2))['sum'] == 3 else 'shadowed'`,
    badSandbox: 'not-run',
  },
  'names-with-paths': {
    makeProgram: ({ secretFile }) => `import importlib
loot = []
for name in ('servers.../../../../../../..${secretFile}', 'servers/../../../../../../../..${secretFile}', 'skills.%2e%2e.x', 'workspace', 'servers.\\0x', '..', 'servers.__proto__', 'servers.constructor', 'servers.tools.__builtins__', 'servers.' + 'a' * 100_000, 'servers.' + '.'.join('a' * 500), '\\ud800', 'etc.passwd', '/etc/passwd', 'servers.tools/../../../etc/passwd'):
    for work in (lambda: importlib.import_module(name), lambda: __import__(name), lambda: importlib.util.find_spec(name), lambda: importlib.import_module('.' + name, 'servers')):
        try: loot.append(str(vars(work()))[:300])
        except BaseException as error: loot.append(type(error).__name__)
result = loot`,
    judge: ({ result }) => (/root:/.test(JSON.stringify(result)) ? 'a file of the host was read' : undefined),
    badSandbox: 'not-run',
  },
  'finders-removed': {
    program: `import sys
sys.meta_path.clear()
sys.path_hooks.clear()
sys.path[:] = ['/workspace', '/tmp', '']
sys.builtin_module_names = ()
result = 1`,
    next: `import json, fractions
from servers.tools import add
'clean' if (await add(a=1, b=2))['sum'] == 3 and json.dumps(1) == '1' else 'broken'`,
    badSandbox: 'not-run',
  },
  'finder-that-answers-everything': {
    program: `import sys, importlib.machinery
class Finder:
    def find_spec(self, name, path=None, target=None): return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec): return None
    def exec_module(self, module): module.__getattr__ = lambda name: 'mine'
sys.meta_path.insert(0, Finder())
result = 1`,
    next: `import sys
'clean' if not any('Finder' == type(finder).__name__ for finder in sys.meta_path) else 'kept'`,
    badSandbox: 'not-run',
  },
  'program-imports-itself': {
    program: `import sys
sys.rounds = getattr(sys, 'rounds', 0) + 1
if sys.rounds < 50:
    write_file('/workspace/again.py', 'import again2')
    write_file('/workspace/again2.py', 'import again')
    for name in ('program', '__main__', 'again'):
        try: __import__(name)
        except BaseException: pass
result = 1`,
    badSandbox: 'not-run',
  },
  'wrapper-breakout': {
    program: `x = 1
    ) ; import os
"""
'''
return os.environ`,
    judge: ({ result }) =>
      result.status === 'failed' && result.error.code === 'SYNTAX' ? undefined : 'the program left its wrapper',
    badSandbox: 'not-run',
  },
  'encoding-cookie': {
    makeProgram: ({ envName }) => String.raw`# -*- coding: unicode_escape -*-
x = 1 # \u000aimport os; result = str(os.environ.get('${envName}'))
`,
    badSandbox: 'not-run',
  },
  'future-and-globals': {
    program: `from __future__ import annotations
__name__ = 'toolwright'; __builtins__ = {}; __spec__ = None; __loader__ = None; __file__ = '/etc/passwd'; __path__ = ['/']
result = sorted(globals())`,
    badSandbox: 'not-run',
  },
};

export default attacks;
