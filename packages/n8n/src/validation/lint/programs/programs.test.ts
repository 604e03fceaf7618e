import { expect, it } from 'vitest';
import { catalog, changed, type Draft, node, part } from '../../../../../../test/fixtures/n8n-drafts.ts';
import { processorTime } from '../../../../../../test/fixtures/processor-time.ts';
import { autofixWorkflow } from '../../../workflows/autofix.ts';
import type { FindingCode } from '../../finding.ts';
import type { Syntax } from '../../syntax.ts';
import { validateWorkflow } from '../../validate.ts';
import { mistakesInJavaScript } from './javascript.ts';
import type { RunMode } from './mistake.ts';
import { mistakesInPython } from './python.ts';

function program(parameters: object): (draft: Draft) => void {
  return (draft) => Object.assign(part(draft, 1), node('Fetch', 'code', parameters));
}
const all = (jsCode: string) => program({ jsCode });
const each = (jsCode: string) => program({ mode: 'runOnceForEachItem', jsCode });

async function codesOf(change: (draft: Draft) => void): Promise<string[]> {
  const { errors, warnings } = await validateWorkflow(changed(change), catalog);
  expect(errors).toEqual([]);
  return warnings.map(({ code }) => code).filter((code) => code.startsWith('CODE_'));
}

const MISTAKES: readonly (readonly [string, FindingCode, (draft: Draft) => void])[] = [
  ['broken syntax', 'CODE_SYNTAX', all('const a = ;\nreturn [];')],
  ['text that closes the function', 'CODE_SYNTAX', all('return [];\n}\nfoo(); {')],
  ['an expression in braces', 'CODE_SYNTAX', all('const a = {{ $json.a }};\nreturn [{ json: { a } }];')],
  ['an import', 'CODE_MODULE', all("import fs from 'fs';\nreturn [];")],
  ['a module', 'CODE_MODULE', all("const c = require('crypto');\nreturn [];")],
  ['fetch', 'CODE_MODULE', all("const r = await fetch('https://x');\nreturn [];")],
  ['a request without await', 'CODE_AWAIT', all('const r = this.helpers.httpRequest({ url });\nreturn [{ json: r }];')],
  ['a list of promises', 'CODE_AWAIT', all('return $input.all().map(async (item) => ({ json: await f(item) }));')],
  ['all items for each item', 'CODE_MODE', each('const x = $input.all();\nreturn { json: { n: x.length } };')],
  ['a list for each item', 'CODE_RETURN', each('return [{ json: { a: 1 } }];')],
  ['a name of a browser', 'CODE_NAME', all('return [{ json: { a: document.title } }];')],
  ['a name of a package', 'CODE_NAME', all("const r = await axios.get('https://x');\nreturn [{ json: r.data }];")],
  ['a name of Python', 'CODE_NAME', all('return [{ json: { a: True } }];')],
  ['$input.all without a call', 'CODE_NAME', all('return $input.all;')],
  ['an unknown member of $input', 'CODE_NAME', all('return $input.items();')],
  ['a changed constant', 'CODE_NAME', all('const n = 0;\nfor (const i of items) n += 1;\nreturn [{ json: { n } }];')],
  ['a constant that is declared twice', 'CODE_SYNTAX', all('const a = 1;\nconst a = 2;\nreturn [{ json: { a } }];')],
  ['a text', 'CODE_RETURN', all("if (1) return 'done';\nreturn [];")],
  ['a number', 'CODE_RETURN', each('return 42;')],
  ['a list of numbers', 'CODE_RETURN', all('return [1, 2];')],
  ['json that is a text', 'CODE_RETURN', all("return [{ json: 'a' }];")],
  ['json that is a list', 'CODE_RETURN', all('return [{ json: [1, 2] }];')],
  ['json as its text', 'CODE_RETURN', all('return [{ json: JSON.stringify(a) }];')],
];

it.each(MISTAKES)('reports %s', async (_what, code, change) => expect(await codesOf(change)).toEqual([code]));

it.each([
  ['items', all('return $input.all().map((item) => ({ json: { ...item.json, a: 1 } }));')],
  ['plain objects', all('return [{ a: 1 }, { a: 2 }];')],
  ['one object', all('return { a: 1 };')],
  [
    'await and regular expressions',
    all('const r = await this.helpers.httpRequest({});\nreturn [{ json: { a: /[}]/.test(r) } }];'),
  ],
  ['promises that are awaited later', all('const p = this.helpers.httpRequest({});\nreturn [{ json: await p }];')],
  ['many promises', all('const p = this.helpers.httpRequest({});\nreturn [{ json: (await Promise.all([p]))[0] }];')],
  ['the first of a list', each('return [$json, 1][0];')],
  ['one item', each('return { json: { a: $input.item.json.a } };')],
  ['all items in a comment', each('// not $input.all()\nreturn { json: {} };')],
  ['an own fetch', all('const fetch = () => 1;\nreturn [{ json: { a: fetch() } }];')],
  [
    'own names',
    all(
      'const URL = 1;\nconst f = ({ request }, _) => request;\nreturn items.map((_, n) => ({ json: { process: f(n), URL } }));',
    ),
  ],
  ['names in texts and comments', all("// document\nconst a = 'axios'; /* moment() */\nreturn [{ json: { a } }];")],
  ['an apostrophe in a comment', all("// don't\nconst a = 'document';\nreturn [{ json: { a } }];")],
  [
    'one name in two functions',
    all(
      'const f = (t) => { const a = t.replace(/\\)/g, 1); return a; };\nfunction g() { const a = 2; }\nreturn [{ json: { a: f(g) } }];',
    ),
  ],
  ['typeof', all("const a = typeof process === 'undefined';\nreturn [{ json: { a } }];")],
  [
    'constants of several blocks',
    all(
      'const f = () => { const a = 1; return a; };\n{ const a = 2; }\nlet b = f();\nb = 2;\nreturn [{ json: { b } }];',
    ),
  ],
  ['a throw in place of a return', all("if (items.length > 9) {\n  items.pop();\n}\nthrow new Error('none');")],
  ['templates with braces', all('const a = `{{ not read }}`;\nreturn [{ json: { a } }];')],
])('accepts %s', async (_what, change) => expect(await codesOf(change)).toEqual([]));

it.each([
  ['const a = {{ $json.a }};\nreturn [{ json: { a } }];', 'const a = $json.a;\nreturn [{ json: { a } }];'],
  [
    'const r = this.helpers.httpRequest({ url: "x" });\nreturn [{ json: r }];',
    'const r = await this.helpers.httpRequest({ url: "x" });\nreturn [{ json: r }];',
  ],
  ['const a = ;\nreturn [];', 'const a = ;\nreturn [];'],
])('repairs %j', async (jsCode, repaired) => {
  const { workflow } = await autofixWorkflow(changed(program({ jsCode })), catalog);
  expect(workflow.nodes[1]).toMatchObject({ parameters: { jsCode: repaired } });
});

const PYTHON: readonly (readonly [string, RunMode, string, readonly FindingCode[]])[] = [
  ['a module', 'all', 'import re\nreturn []', ['CODE_MODULE']],
  ['the names of n8n 1', 'all', 'return [{"json": {"n": len(_input.all())}}]', ['CODE_MODE']],
  ['the items of the other mode', 'each', 'return {"json": _items[0]["json"]}', ['CODE_MODE']],
  ['a list for each item', 'each', 'return [{"json": {}}]', ['CODE_RETURN']],
  ['a text', 'all', 'return "done"', ['CODE_RETURN']],
  ['json that is a number', 'all', 'return [{"json": 1}]', ['CODE_RETURN']],
  ['an expression', 'all', 'a = {{ $json.a }}\nreturn []', ['CODE_SYNTAX']],
  ['nothing', 'all', 'out = []\nfor item in _items:\n    out.append({"json": item["json"]})\nreturn out', []],
  ['nothing', 'each', '# import re\nreturn {"json": _item["json"]}', []],
];

it.each(PYTHON)('reports %s in Python, once for %s', (_what, mode, code, codes) => {
  expect(mistakesInPython(code, mode).map((mistake) => mistake.code)).toEqual(codes);
});

it.each([
  ['lines without text', '\n'.repeat(1_000_000)],
  ['requests', 'const a = this.helpers.httpRequest({});\n'.repeat(20_000)],
  ['returns', 'return 1\n'.repeat(100_000)],
  ['braces', '{{ $a '.repeat(100_000)],
])('reads a program of many %s in linear time', (_what, jsCode) => {
  const broken: Syntax = { problemOf: () => 'broken', isObjectLiteral: () => false };
  const whole: Syntax = { problemOf: () => undefined, isObjectLiteral: () => false };
  const used = processorTime();
  for (const syntax of [broken, whole]) mistakesInJavaScript(jsCode, 'all', syntax);
  mistakesInPython(jsCode, 'all');
  expect(used()).toBeLessThan(20_000);
});
