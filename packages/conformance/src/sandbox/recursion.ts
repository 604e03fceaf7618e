import type { LanguageName } from '@toolwright/sandbox';

/** Programs that recurse or nest without end, each in another part of its engine. */
export const DEEP_PROGRAMS: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: [
    'const a = []; let b = a; for (let i = 0; i < 1e5; i++) { b[0] = []; b = b[0] } return JSON.stringify(a).length',
    "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)).length",
    'const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x',
    "const o = { toString: () => o + '' }; return o + ''",
    "return new RegExp('('.repeat(50_000) + ')'.repeat(50_000)).test('x')",
    "return eval('('.repeat(50_000) + '1' + ')'.repeat(50_000))",
    'const f = async () => { await f() }; await f()',
    'return [1, 2].sort(function compare() { return [1, 2].sort(compare) })',
    'const deep = (n) => ({ get a() { return deep(n + 1) } }); return deep(0)',
  ],
  python: [
    'import json\na = []\nfor _ in range(100_000):\n    a = [a]\njson.dumps(a)',
    'import json\njson.loads("[" * 100_000 + "]" * 100_000)',
    'a = []\nfor _ in range(100_000):\n    a = [a]\na',
    'class A:\n    def __getattr__(self, name):\n        return getattr(self, name)\nA().x',
    'class A:\n    def __repr__(self):\n        return repr(self)\nprint(A())',
    'import re\nre.compile("(" * 50_000 + ")" * 50_000)',
    'eval("-" * 500_000 + "1")',
    'async def f():\n    await f()\nawait f()',
    'import sys\nsys.setrecursionlimit(1_000_000_000)\ndef f():\n    return f()\nf()',
    'import sys\nsys.setrecursionlimit(1_000_000_000)\na = []\nfor _ in range(1_000_000):\n    a = [a]\nrepr(a)',
    'raise BaseExceptionGroup("", [RecursionError()]) from RecursionError()',
  ],
};
