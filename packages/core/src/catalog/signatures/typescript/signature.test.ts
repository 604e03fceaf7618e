import type { JsonSchema, Tool } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { toolSummary } from '../signature.ts';
import { toolSignature } from './signature.ts';

function tool(inputSchema: JsonSchema, outputSchema?: JsonSchema): Tool {
  const definition = { name: 't', inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
  return { id: 's__t', server: 's', definition };
}

function signature(properties: Record<string, JsonSchema>, required: string[] = []): string {
  return toolSignature(tool({ type: 'object', properties, required }));
}

describe('toolSignature', () => {
  it('is one call with required parameters first', () => {
    const properties = {
      body: { type: 'string' },
      owner: { type: 'string' },
      labels: { type: 'array', items: { type: 'string' } },
    };
    const input = { type: 'object', properties, required: ['owner'] };
    const output = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] };
    expect(toolSignature(tool(input, output))).toBe(
      'servers.s.t({owner: string, body?: string, labels?: string[]}): {number: number}',
    );
    expect(toolSignature(tool({ type: 'object', properties: {} }))).toBe('servers.s.t()');
  });

  it.each([
    ['shop', 'find', 'servers.shop.find()'],
    ['help-desk', 'find', 'callMCPTool("help-desk__find")'],
    ['shop', 'get-item', 'callMCPTool("shop__get-item")'],
    ['shop', 'delete', 'callMCPTool("shop__delete")'],
    ['shop', 'then', 'callMCPTool("shop__then")'],
    ['shop_', 'find', 'callMCPTool("shop___find")'],
    ['My Server', 'find', 'callMCPTool("My Server__find")'],
  ])('names the tool of the server %s with the name %s', (server, name, call) => {
    const definition = { name, inputSchema: { type: 'object' } };
    expect(toolSignature({ id: `${server}__${name}`, server, definition })).toBe(call);
  });

  it('calls a tool with a numbered id by its id', () => {
    const definition = { name: 'find', inputSchema: { type: 'object' } };
    expect(toolSignature({ id: 'shop__find_2', server: 'shop', definition })).toBe('callMCPTool("shop__find_2")');
  });

  it('writes every kind of type', () => {
    expect(
      signature({
        kind: { enum: ['a', 'b'] },
        one: { const: 1 },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        list: { type: 'array', items: { type: ['string', 'number'] } },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        both: { allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: {} } }] },
        'odd name': { type: 'boolean' },
      }),
    ).toBe(
      'servers.s.t({kind?: "a"|"b", one?: 1, pair?: [string?, number?], either?: string | number, ' +
        'list?: (string | number)[], map?: {[key: string]: number}, both?: {a?: string} & {b?: unknown}, "odd name"?: boolean})',
    );
  });

  it('writes references in place and ends at recursion', () => {
    const input = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/T' } },
      $defs: {
        T: {
          type: 'object',
          properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/T' } } },
        },
      },
    };
    expect(toolSignature(tool(input))).toBe('servers.s.t({tree?: {name?: string, kids?: unknown[]}})');
  });

  it('counts hidden optional parameters, and shows required ones', () => {
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`parameter${n}`, { type: 'string' }]));
    const text = signature(properties, ['parameter39']);
    expect(text).toMatch(
      /^servers\.s\.t\(\{parameter39: string, parameter0\?: string, .*, \/\* \+\d+ optional \*\/\}\)$/,
    );
  });
});

describe('toolSummary', () => {
  it.each([
    ['Creates an issue. Needs a token.', 'Creates an issue'],
    ['Reads v1.2 files\n\nMore text', 'Reads v1.2 files'],
    ['获取天气。更多', '获取天气'],
    ['  \n', ''],
  ])('%j → %j', (description, summary) => {
    expect(toolSummary({ id: 's__t', server: 's', definition: { name: 't', description, inputSchema: {} } })).toBe(
      summary,
    );
  });
});
