import { describe, expect, it } from 'vitest';
import { languageOf } from '../readings.ts';
import { mixedLanguages, recogniseLanguage } from './recognition.ts';

const PYTHON = [
  'def f(x):\n    return x\nf(1)',
  'data = json.loads(read_file("a.json"))\nresult = {"total": len(data)}',
  "data = json.loads(read_file('large.json'))\nfiltered = [d for d in data if d['status'] == 'active']\nresult = {'total': len(data)}",
  'skill = load_skill("x")\nexec(skill)\nresult = f([1])',
  'from servers.files import read_text\nawait read_text("a")',
  'import json\njson.dumps(1)',
  'print("hello")',
  'await call_mcp_tool("a__b", {"x": 1})',
  'result = 1',
  'x: int = 3\nx + 1',
  'for n in [1, 2]:\n    print(n)',
  'text = """const x = () => 1;"""\nif text:\n    print(text)',
  "def high(rows): return [row for row in rows if row['a'] in ['b']]",
  'if True: print(1)',
  '# const x = 1;\nwhile True:\n    break',
  '```python\n1 + 1\n```',
  'with open("a") as f:\n    text = f.read()\ntext',
  'class Point:\n    x = 1\nPoint().x',
  'try:\n    pass\nexcept ValueError as error:\n    pass',
];
const TYPESCRIPT = [
  'return 1',
  '1 + 1',
  '"text"',
  'const a = 1\nreturn a',
  "const { content } = await files.read({ path: '.' });\nreturn content;",
  "await callMCPTool('a__b', { x: 1 })",
  "await search_tools('print a file')",
  "import * as x from './servers/x/index.js';\nreturn x.len()",
  "await fs.writeFile('/skills/x.py', `\ndef f(x):\n    print(x)\n`)\nreturn 1",
  'total = 0;\nfor (const x of [1]) total += x;\nreturn total;',
  'function print(x) { return x }\nprint(1)',
  'return [1, 2].map((x) => x * 2)',
  'if (true) { return 1 }',
  'const f = (x: number): number => x\nreturn f(1',
  'label: for (;;) break label',
  'result = { total: 1 }',
  '{"a": 1}',
  'list_mcp_tools()',
];
const both = async (text: string) => [recogniseLanguage(text), await languageOf(text, '')];

describe('the language of a program', () => {
  it.each(PYTHON)('is Python: %s', async (text) => {
    expect((await both(text)).at(-1)).toBe('python');
  });

  it.each(TYPESCRIPT)('is TypeScript: %s', async (text) => {
    expect(await both(text)).toEqual(['typescript', 'typescript']);
  });

  it('is reported when a program mixes both', () => {
    const mixed = 'const x = 1;\ndef f(y):\n    return y\nreturn f(x)';
    expect(mixedLanguages(mixed)).toBe(
      'The program mixes TypeScript (line 1: const x = 1;) and Python (line 2: def f(y):): write all of it in one language.',
    );
    expect([...PYTHON, ...TYPESCRIPT].map(mixedLanguages).filter((found) => found !== undefined)).toEqual([]);
  });
});
