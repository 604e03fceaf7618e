import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Texts that people and models learn from: pages, skills, examples, and the sources with definitions, prompts and the dashboard. */
const TEXTS = ['*.md', 'examples', 'skills', 'packages/*/src/*'];
const OTHERS = /CHANGELOG|\.test\.|\/conformance\/|^docs\/decisions\//;
/** A call whose name is a member of a value, such as `callMCPTool(hit.name, …)`. */
const BLIND = /(?:callMCPTool|call_mcp_tool)\(\s*(?:\(?await\s+search_tools|\w+\s*(?:\.\s*\w|\[))/;

it('no text that teaches calls a search hit that nobody has read', () => {
  const files = execFileSync('git', ['ls-files', '--', ...TEXTS], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const texts = files.filter((file) => /\.(?:md|ts|tsx|mjs|js|py|json)$/.test(file) && !OTHERS.test(file));
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((file) => BLIND.test(readFileSync(file, 'utf8')))).toEqual([]);
});

it.each([
  "const [t] = await search_tools('x'); return await callMCPTool(t.name, {})",
  "await callMCPTool((await search_tools('x'))[0].name)",
  'await call_mcp_tool(hits[0]["name"], {})',
])('recognises %s', (text) => expect(text).toMatch(BLIND));
