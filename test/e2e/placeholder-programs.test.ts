import { afterAll, describe, expect, test } from 'vitest';
import type { LanguageName } from '../../packages/sandbox/src/index.ts';
import { createToolwright } from '../../packages/toolwright/src/index.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { APIS } from '../fixtures/ordinary-programs/apis.ts';
import { COMPARISONS } from '../fixtures/ordinary-programs/comparisons.ts';
import { PYTHON_ANNOUNCED, PYTHON_AS_WRITTEN } from '../fixtures/ordinary-programs/everyday/python.ts';
import { TYPESCRIPT_ANNOUNCED, TYPESCRIPT_AS_WRITTEN } from '../fixtures/ordinary-programs/everyday/typescript.ts';
import { JOINS } from '../fixtures/ordinary-programs/joins.ts';
import { LOAD, type OrdinaryProgram, type Workflow } from '../fixtures/ordinary-programs/program.ts';
import { PYTHON_PROGRAMS } from '../fixtures/ordinary-programs/python.ts';
import { type ReceivedCall, recordingTools } from '../fixtures/ordinary-programs/tools.ts';
import { TRANSFORMATIONS } from '../fixtures/ordinary-programs/transformations.ts';
import { WORKFLOWS } from '../fixtures/ordinary-programs/workflows.ts';
import { shortForm } from '../fixtures/short-form.ts';

const received: ReceivedCall[] = [];
const open = async (mode: 'placeholders' | 'off') => {
  const { tools, reset } = recordingTools(received);
  const limits = { timeoutMs: 60_000 };
  return { reset, ...(await createToolwright({ dataDir: temporaryFolder(), tools, pii: { mode }, limits })) };
};
const [withPlaceholders, withValues] = await Promise.all([open('placeholders'), open('off')]);
afterAll(() => Promise.all([withPlaceholders.close(), withValues.close()]));

/** Runs programs one after the other in a session, and returns everything that their author and the tools see, with values. */
async function run(toolwright: typeof withValues, { name, language, sources }: Workflow) {
  toolwright.reset();
  received.length = 0;
  const sessionId = `${name} ${language}`.replaceAll(/[^A-Za-z0-9]+/g, '-');
  const values: unknown[] = [];
  const warnings: string[] = [];
  for (const source of sources) {
    const { logs, ...result } = await toolwright.execute(source, {
      language,
      sessionId,
      createSession: true,
      userId: sessionId,
    });
    const seen = [
      result.status === 'completed' ? result.value : result.status,
      logs.filter(({ level, text }) => level !== 'warn' && !text.startsWith('The host computed with')),
    ];
    values.push(await toolwright.pii.restore(JSON.parse(JSON.stringify(seen)), { sessionId, userId: sessionId }));
    warnings.push(...logs.filter(({ level }) => level === 'warn').map(({ text }) => text));
  }
  // Calls at once have no order.
  const sorted = structuredClone(received).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { values, received: sorted, warnings };
}

/** Returns each program over some APIs that have its fields. */
function over(language: LanguageName, programs: readonly OrdinaryProgram[]): Workflow[] {
  return programs.map(([name, fields, source, next], index) => {
    const fitting = APIS.filter((api) => fields.every((field) => api.fields.includes(field)));
    const api = fitting[(index * 3) % fitting.length];
    const load = (language === 'python' ? api?.py : api?.ts) ?? '';
    const later = next === undefined ? [] : [next.startsWith(LOAD) ? `${load}\n${next.slice(LOAD.length)}` : next];
    return { name: `${name} of ${api?.name}`, language, sources: [`${load}\n${source}`, ...later] };
  });
}

const asWritten = [...over('typescript', TYPESCRIPT_AS_WRITTEN), ...over('python', PYTHON_AS_WRITTEN)];
const announced = [...over('typescript', TYPESCRIPT_ANNOUNCED), ...over('python', PYTHON_ANNOUNCED)];
const programs = [
  ...over('typescript', COMPARISONS),
  ...over('typescript', TRANSFORMATIONS),
  ...over('typescript', JOINS),
  ...WORKFLOWS,
  ...over('python', PYTHON_PROGRAMS),
  ...announced,
];

describe('an ordinary program has the same answer with placeholders, or a warning', () => {
  test.each(shortForm(programs, 16))('$language: $name', async (program) => {
    const expected = await run(withValues, program);
    const actual = await run(withPlaceholders, program);
    expect(expected.warnings).toEqual([]);
    const isSame =
      JSON.stringify([actual.values, actual.received]) === JSON.stringify([expected.values, expected.received]);
    if (!isSame) expect(actual.warnings.join()).toMatch(/computes with the text of a placeholder|was not checked/);
  });
});

describe('an everyday program works as it is written', () => {
  test.each(shortForm(asWritten, 12))('$language: $name', async (program) => {
    const expected = await run(withValues, program);
    expect(expected.warnings).toEqual([]);
    expect(await run(withPlaceholders, program)).toEqual(expected);
  });

  test('at least 85 % of them do', () => {
    expect(asWritten.length).toBeGreaterThanOrEqual(140);
    expect(asWritten.length / (asWritten.length + announced.length)).toBeGreaterThanOrEqual(0.85);
  });
});
