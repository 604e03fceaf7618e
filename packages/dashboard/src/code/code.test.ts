import { expect, test } from 'vitest';
import { callingLines, linesOfCalls } from './calling-lines.ts';
import { highlight } from './program.tsx';

test('finds the lines that call a tool by its name or its function', () => {
  const source = [
    "import * as github from './servers/github/index.js';",
    "const a = await callMCPTool('bank__pay', {});",
    'const b = await github.createIssue({});',
    'const c = github.create_issue_comment;',
    "await callMCPTool('bank__pay', {});",
  ].join('\n');
  const tools = ['bank__pay', 'github__create_issue', 'x__constructor'];
  expect(callingLines(source, tools)).toEqual(
    new Map([
      ['bank__pay', [2, 5]],
      ['github__create_issue', [3]],
      ['x__constructor', []],
    ]),
  );
});

test('the known line of a call counts, and other calls are at the lines with their tool', () => {
  const source = "const tool = 'bank__pay';\nawait callMCPTool(tool, {});\nawait callMCPTool('bank__read', {});";
  const calls = [{ tool: 'bank__pay', line: 2 }, { tool: 'bank__read' }];
  const linesOf = linesOfCalls(source, calls);
  expect(calls.map(linesOf)).toEqual([[2], [3]]);
});

test.each([
  ['typescript', 'const a: string = "b";'],
  ['python', 'def a():\n    return "b"  # c'],
])('colours %s and keeps every character', (language, source) => {
  const lines = highlight(source, language);
  expect(lines.map((line) => line.map(({ text }) => text).join('')).join('\n')).toBe(source);
  const tokens = lines.flat();
  expect(tokens.find(({ text }) => text === '"b"')?.className).toBe('tok-string');
  expect(tokens.some(({ className }) => className === 'tok-keyword')).toBe(true);
});

test('a line with thousands of tokens has no colours, and keeps its text', () => {
  const long = `const all = [${'1,'.repeat(3_000)}];`;
  const [first = [], second = []] = highlight(`${long}\nreturn all;`, 'typescript');
  expect(first).toEqual([{ text: long, className: '' }]);
  expect(second.length).toBeGreaterThan(1);
});
