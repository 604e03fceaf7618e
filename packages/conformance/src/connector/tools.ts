import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonSchema } from '@toolwright/core';

/** A tool that the conformance suite calls. */
export interface ConformanceTool {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Runs the tool. Implementations in other languages must behave like it. */
  run(args: Readonly<Record<string, unknown>>): unknown;
}

/** The tools of the suite by name. */
export type ConformanceTools = Readonly<Record<'echo' | 'fail' | 'wait' | 'large', ConformanceTool>>;

/** The tools that a connector must offer to run the conformance suite, with their implementation in JavaScript. */
export const CONFORMANCE_TOOLS: ConformanceTools = {
  echo: {
    description: 'Returns its arguments as an object.',
    inputSchema: { type: 'object' },
    run: (args) => args,
  },
  fail: {
    description: 'Fails with a message.',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: ({ message }) => {
      throw new Error(String(message));
    },
  },
  wait: {
    description: 'Waits, then returns the object {"waited": ms}.',
    inputSchema: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
    run: async ({ ms }) => {
      await sleep(Number(ms));
      return { waited: ms };
    },
  },
  large: {
    description: 'Returns an object {"text": "xxx…"} with a text of this length.',
    inputSchema: { type: 'object', properties: { characters: { type: 'integer' } }, required: ['characters'] },
    run: ({ characters }) => ({ text: 'x'.repeat(Number(characters)) }),
  },
};
