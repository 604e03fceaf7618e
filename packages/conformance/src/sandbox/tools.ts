import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector, ToolCallOptions, ToolDefinition } from '@toolwright/core';
import { ToolwrightError } from '@toolwright/core';

/** One call that reached a tool. */
export interface ReceivedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** True when the call arrived although its execution had ended. */
  readonly late: boolean;
}

/** The tools of the suite, and the calls that they received. */
export interface ToolBench {
  readonly connectors: readonly Connector[];
  readonly received: readonly ReceivedCall[];
  mostInFlight(): number;
}

type Handler = (args: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined) => unknown;

const NUMBER = { type: 'number' };
const STRING = { type: 'string' };

/** Names that a careless implementation confuses, or that have a meaning in JavaScript. */
export const ODD_NAMES = [
  'a-b',
  'a_b',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'class',
  'then',
  'délta',
  '2fa',
] as const;

/** Creates fresh tools in memory: the servers `tools` and `odd`. */
export function createToolBench(): ToolBench {
  const received: ReceivedCall[] = [];
  let inFlight = 0;
  let most = 0;
  let count = 0;

  const handlers = new Map<string, Handler>([
    ['echo', ({ value }) => value],
    ['add', ({ a, b }) => ({ sum: Number(a) + Number(b) })],
    ['text', () => 'plain text'],
    ['nothing', () => undefined],
    ['counter', () => ++count],
    ['big', ({ bytes }) => 'x'.repeat(Number(bytes))],
    [
      'fail',
      ({ message }) => {
        throw new ToolwrightError('TOOL_FAILED', String(message ?? 'no'), { details: { why: 'asked to' } });
      },
    ],
    [
      'defect',
      () => {
        throw new Error('secret of the host in /opt/host/file.ts');
      },
    ],
    ['slow', ({ ms }, signal) => sleep(Number(ms), 'done', { signal })],
    // Continues although its call was cancelled, like a careless server.
    ['stubborn', ({ ms }) => sleep(Number(ms), 'done')],
  ]);
  const definitions: ToolDefinition[] = [
    { name: 'echo', description: 'Returns its value.', inputSchema: schema({ value: {} }) },
    { name: 'add', description: 'Adds two numbers together.', inputSchema: schema({ a: NUMBER, b: NUMBER }, 'a', 'b') },
    { name: 'text', description: 'Answers with plain text.', inputSchema: schema({}) },
    { name: 'nothing', description: 'Answers with nothing.', inputSchema: schema({}) },
    { name: 'counter', description: 'Counts its calls.', inputSchema: schema({}) },
    { name: 'big', description: 'Answers with many bytes.', inputSchema: schema({ bytes: NUMBER }, 'bytes') },
    { name: 'fail', description: 'Refuses.', inputSchema: schema({ message: STRING }) },
    { name: 'defect', description: 'Breaks.', inputSchema: schema({}) },
    { name: 'slow', description: 'Answers after a while.', inputSchema: schema({ ms: NUMBER }, 'ms') },
    { name: 'stubborn', description: 'Cannot be cancelled.', inputSchema: schema({ ms: NUMBER }, 'ms') },
  ];

  const connector = (name: string, tools: readonly ToolDefinition[], handle: (tool: string) => Handler): Connector => ({
    name,
    status: () => ({ state: 'ready', starts: 1 }),
    tools: () => Promise.resolve(tools),
    async call(tool, args, options: ToolCallOptions = {}) {
      received.push({ tool: `${name}__${tool}`, args, late: options.signal?.aborted === true });
      most = Math.max(most, ++inFlight);
      try {
        return await handle(tool)(args, options.signal);
      } finally {
        inFlight--;
      }
    },
    onToolsChanged: () => () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  const odd = ODD_NAMES.map((name) => ({
    name,
    description: `Odd name ${name}.`,
    inputSchema: schema({ x: NUMBER }),
    annotations: { readOnlyHint: true },
  }));

  return {
    connectors: [
      connector('tools', definitions, (tool) => handlers.get(tool) ?? (() => undefined)),
      connector('odd', odd, (tool) => (args) => ({ tool, args })),
    ],
    received,
    mostInFlight: () => most,
  };
}

function schema(
  properties: Readonly<Record<string, object>>,
  ...required: readonly string[]
): ToolDefinition['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}
