import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { createToolwright } from '../../../core/src/toolwright.ts';
import { type InlineTool, inlineConnector } from './inline.ts';

// Vitest removes the types, so only `npm run typecheck` checks this file.
const unused = (): unknown[] => [
  inlineConnector('crm', {
    tools: {
      zod: {
        input: z.object({ name: z.string(), limit: z.number().default(5) }),
        run: ({ name, limit }, { signal }) => {
          expectTypeOf(name).toEqualTypeOf<string>();
          expectTypeOf(limit).toEqualTypeOf<number>();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        },
      },
      valibot: {
        input: v.object({ tags: v.array(v.string()) }),
        output: v.object({ count: v.number() }),
        run: async ({ tags }) => {
          expectTypeOf(tags).toEqualTypeOf<string[]>();
          return { count: tags.length };
        },
      },
      wrongResult: {
        input: z.object({ name: z.string() }),
        output: z.object({ count: z.number() }),
        // @ts-expect-error: the count must be a number
        run: ({ name }) => ({ count: name }),
      },
      wrongResultWithoutInput: {
        output: z.object({ count: z.number() }),
        // @ts-expect-error: the count must be a number
        run: () => ({ count: 'one' }),
      },
      jsonSchema: {
        inputSchema: { type: 'object' },
        run: (args) => expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>(),
      },
      annotated: { run: ({ name = '' }: { name?: string }) => name.length },
      // @ts-expect-error: a number is not a schema
      noSchema: { input: 5, run: () => 1 },
    },
  }),
  createToolwright({
    tools: {
      crm: {
        tools: {
          find: {
            input: z.object({ name: z.string() }),
            output: z.array(z.string()),
            run: ({ name }) => {
              expectTypeOf(name).toEqualTypeOf<string>();
              return [name];
            },
          },
          plain: { run: (args) => expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>() },
        },
      },
      mail: {
        description: 'Mail',
        tools: {
          send: { input: v.object({ to: v.string() }), run: ({ to }) => expectTypeOf(to).toEqualTypeOf<string>() },
        },
      },
    },
  }),
  createToolwright({
    tools: {
      one: {
        tools: { only: { run: (args) => expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>() } },
      },
    },
  }),
  createToolwright({
    tools: { crm: { tools: {} as Readonly<Record<string, InlineTool>> } },
  }),
];

test('compiles', () => {
  expectTypeOf(unused).toBeFunction();
});
