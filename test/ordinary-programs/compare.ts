import { afterAll, describe, expect, test } from 'vitest';
import type { LanguageName } from '../../packages/sandbox/src/index.ts';
import { createToolwright } from '../../packages/toolwright/src/index.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { APIS } from '../fixtures/ordinary-programs/apis.ts';
import { LOAD, type OrdinaryProgram, type Workflow } from '../fixtures/ordinary-programs/program.ts';
import { type ReceivedCall, recordingTools } from '../fixtures/ordinary-programs/tools.ts';
import { shortForm } from '../fixtures/short-form.ts';

/** Runs programs one after the other in a session, and returns everything that their author and the tools see, with values. */
async function open(mode: 'placeholders' | 'off') {
  const received: ReceivedCall[] = [];
  const { tools, reset } = recordingTools(received);
  const toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    tools,
    pii: { mode },
    limits: { timeoutMs: 60_000 },
  });
  return {
    close: toolwright.close,
    async run({ name, language, sources }: Workflow) {
      reset();
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
    },
  };
}

/** Opens both ways to run a program, for the tests of one file. A program runs in both at once. */
async function openBoth() {
  const [placeholders, values] = await Promise.all([open('placeholders'), open('off')]);
  afterAll(() => Promise.all([placeholders.close(), values.close()]));
  return async (program: Workflow) => {
    const [actual, expected] = await Promise.all([placeholders.run(program), values.run(program)]);
    expect(expected.warnings).toEqual([]);
    return { actual, expected };
  };
}

/** Tests that programs have the same answer with placeholders, or a warning. */
export async function testOrdinary(programs: readonly Workflow[]): Promise<void> {
  const both = await openBoth();
  describe('an ordinary program has the same answer with placeholders, or a warning', () => {
    test.each(shortForm(programs, 16))('$language: $name', async (program) => {
      const { actual, expected } = await both(program);
      const isSame =
        JSON.stringify([actual.values, actual.received]) === JSON.stringify([expected.values, expected.received]);
      if (!isSame) expect(actual.warnings.join()).toMatch(/computes with the text of a placeholder|was not checked/);
    });
  });
}

/** Tests that programs have the same answer, calls and warnings with placeholders. */
export async function testEveryday(programs: readonly Workflow[]): Promise<void> {
  const both = await openBoth();
  describe('an everyday program works as it is written', () => {
    test.each(shortForm(programs, 12))('$language: $name', async (program) => {
      const { actual, expected } = await both(program);
      expect(actual).toEqual(expected);
    });
  });
}

/** Returns each program over some APIs that have its fields. */
export function over(language: LanguageName, programs: readonly OrdinaryProgram[]): Workflow[] {
  return programs.map(([name, fields, source, next], index) => {
    const fitting = APIS.filter((api) => fields.every((field) => api.fields.includes(field)));
    const api = fitting[(index * 3) % fitting.length];
    const load = (language === 'python' ? api?.py : api?.ts) ?? '';
    const later = next === undefined ? [] : [next.startsWith(LOAD) ? `${load}\n${next.slice(LOAD.length)}` : next];
    return { name: `${name} of ${api?.name}`, language, sources: [`${load}\n${source}`, ...later] };
  });
}
