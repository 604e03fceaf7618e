import { afterAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../packages/core/src/errors.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { executionResponse } from '../../packages/server/src/agent/loop/tool-response.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { missingSandbox } from '../fixtures/needs.ts';
import { CONFIGURATIONS } from './newcomer/configurations.ts';
import { PYTHON, TYPESCRIPT } from './newcomer/programs.ts';

const number = { type: 'number' } as const;
const text = { type: 'string' } as const;
const everything = {
  tools: {
    'get-sum': {
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: { a: number, b: number },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      run: ({ a, b }: Readonly<Record<string, unknown>>) => ({ sum: Number(a) + Number(b) }),
    },
    read_note: {
      description: 'Returns a note.',
      inputSchema: { type: 'object', properties: { name: text }, required: ['name'] },
      outputSchema: { type: 'object', properties: { name: text, text }, required: ['name', 'text'] },
      run({ name }: Readonly<Record<string, unknown>>) {
        if (name === 'missing') throw new Error('There is no note "missing". list_notes has the names.');
        return { name, text: 'hello' };
      },
    },
  },
};
const toolwright = await createToolwright({ dataDir: temporaryFolder(), tools: { everything }, pii: { mode: 'off' } });
const pythonSandbox = missingSandbox(await probeJail()) ? ('pyodide' as const) : ('jail' as const);
afterAll(() => toolwright.close());

/** Milliseconds of a program that never ends. The other ones take longer than that on a busy machine. */
const TIMEOUT_MS = 5_000;

describe.each([
  ['typescript', 'quickjs', TYPESCRIPT],
  ['python', pythonSandbox, PYTHON],
] as const)('a program of a newcomer in %s', (language, sandbox, rows) => {
  it.each(rows)('%s', async (source, cause, fix) => {
    const limits = { timeoutMs: cause === 'ran longer than' ? TIMEOUT_MS : 24 * TIMEOUT_MS };
    const { text } = executionResponse(await toolwright.execute(source, { language, sandbox, limits }));
    expect(text).toContain(cause);
    expect(text).toContain(fix);
  });
});

describe('a configuration of a newcomer', () => {
  it.each(CONFIGURATIONS)('$name', async ({ text, cause, fix, command }) => {
    const desk = openDesk();
    const config = desk.write('toolwright.json', text);
    const answer = command ? Object.values(await desk.run([...command])).join('\n') : await problemOf(config);
    expect(answer).toContain(cause);
    expect(answer).toContain(fix);
  });
});

it('there are 48 programs and 22 configurations', () => {
  expect([TYPESCRIPT.length + PYTHON.length, CONFIGURATIONS.length]).toEqual([48, 22]);
});

/** Returns the problem of a configuration, or of its server when a program calls it. */
async function problemOf(config: string): Promise<string> {
  try {
    const dataDir = temporaryFolder();
    await using opened = await createToolwright({ config, dataDir });
    return executionResponse(await opened.execute("return await callMCPTool('a__x', {});", { check: false })).text;
  } catch (error) {
    return messageOf(error);
  }
}
