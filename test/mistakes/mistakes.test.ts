import { afterAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../packages/core/src/telemetry/tokens.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { executionResponse } from '../../packages/server/src/agent/loop/tool-response.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { IS_SHORT } from '../fixtures/short-form.ts';
import { PYTHON_FIRST_CALLS, TYPESCRIPT_FIRST_CALLS } from './first-calls.ts';
import type { Mistake } from './mistake.ts';
import { PYTHON_PROGRAMS } from './python-programs.ts';
import { TOOLS } from './tools.ts';
import { TYPESCRIPT_CALLS } from './typescript-calls.ts';
import { TYPESCRIPT_PROGRAMS } from './typescript-programs.ts';

type Language = 'typescript' | 'python';
type Sandbox = 'quickjs' | 'pyodide' | 'jail';

/** Tokens (o200k_base) of the longest message, and of half of the messages. */
const MAX_TOKENS = 105;
const MEDIAN_TOKENS = 45;
/** Words that a reader knows from the language. */
const LANGUAGE_WORDS: ReadonlySet<string> = new Set(
  'await async return const let for of in if import from asyncio gather Promise all map json int result sum'.split(' '),
);
const TABLE: Readonly<Record<Language, Readonly<Record<string, Mistake>>>> = {
  typescript: { ...TYPESCRIPT_CALLS, ...TYPESCRIPT_PROGRAMS, ...TYPESCRIPT_FIRST_CALLS },
  python: { ...PYTHON_PROGRAMS, ...PYTHON_FIRST_CALLS },
};

const toolwright = await createToolwright({ dataDir: temporaryFolder(), tools: TOOLS });
const count = await loadTokenizer();
afterAll(() => toolwright.close());

async function answerOf(source: string, language: Language, sandbox: Sandbox, timeoutMs?: number) {
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  const result = await toolwright.execute(source, { language, sandbox, limits });
  return { result, text: executionResponse(result).text };
}

function words(text: string): string[] {
  return text.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

function casesOf(language: Language, sandbox: Sandbox): void {
  const rows = Object.entries(TABLE[language]);
  const tokens: number[] = [];

  it.each(rows)('%s', async (_name, mistake) => {
    const { result, text } = await answerOf(mistake.source, language, sandbox, mistake.timeoutMs);
    tokens.push(count(text));
    const line = result.status === 'failed' ? result.error.line : undefined;
    expect({ status: result.status === 'completed', line }).toEqual({
      status: mistake.completes === true,
      line: mistake.line,
    });
    for (const said of mistake.says) expect(text).toContain(said);
    expect(count(text)).toBeLessThanOrEqual(MAX_TOKENS);

    // A reader of the message alone has these words, and no others.
    const given = new Set([...words(mistake.source), ...words(text), ...LANGUAGE_WORDS, ...(mistake.known ?? [])]);
    expect(words(mistake.repaired).filter((word) => !given.has(word))).toEqual([]);
    const repaired = mistake.repairedLanguage ?? language;
    const own = repaired === language ? sandbox : SHORT[repaired];
    const again = await answerOf(mistake.repaired, repaired, own, mistake.timeoutMs);
    expect(again.result).toMatchObject({ status: 'completed', value: mistake.value });
  });

  it('messages are short', () => {
    expect(tokens.toSorted((a, b) => a - b)[Math.floor(tokens.length / 2)]).toBeLessThanOrEqual(MEDIAN_TOKENS);
  });
}

const noJail = missingSandbox(await probeJail());
const SHORT: Readonly<Record<Language, Sandbox>> = { typescript: 'quickjs', python: noJail ? 'pyodide' : 'jail' };

describe('one repair by the message alone suffices for a mistake in TypeScript', () => {
  casesOf('typescript', SHORT.typescript);
});

describe('one repair by the message alone suffices for a mistake in Python', () => {
  casesOf('python', SHORT.python);
});

it('the table has at least 120 mistakes, 60 of them in first calls', () => {
  expect(Object.values(TABLE).flatMap(Object.keys).length).toBeGreaterThanOrEqual(120);
  const first = [TYPESCRIPT_FIRST_CALLS, PYTHON_FIRST_CALLS].flatMap(Object.keys);
  expect(first.length).toBeGreaterThanOrEqual(60);
});

needs('long', IS_SHORT || noJail ? (noJail ?? 'the short form runs') : undefined).describe('in other sandboxes', () => {
  describe('TypeScript', () => casesOf('typescript', 'jail'));
  describe('Python', () => casesOf('python', 'pyodide'));
});
