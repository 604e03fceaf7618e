import type { JsonSchema, Tool, ToolDefinition } from '../packages/connectors/src/tools/tool.ts';

/** JSON text keeps `__proto__` as an own property. */
function json(text: string): JsonSchema {
  return JSON.parse(text) as JsonSchema;
}

const DOUBLING: JsonSchema = {
  type: 'object',
  properties: { start: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `d${level}`,
      { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }, { type: 'string' }] },
    ]),
  ),
};

/** Tools of a careless or hostile server. */
export const HOSTILE_DEFINITIONS: readonly ToolDefinition[] = [
  { name: 'plain', inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
  ...[
    '__proto__',
    'constructor',
    'then',
    'default',
    'class',
    'await',
    'toString',
    'call',
    'named',
    'Object',
    'TypeError',
  ].map((name) => ({ name, inputSchema: { type: 'object', properties: { x: { type: 'number' } } } })),
  ...[
    'a-b',
    'a_b',
    'a.b',
    'aB',
    '',
    ' ',
    '!!!',
    '../../etc/passwd',
    '1st',
    '获取天气',
    'naïve-tool',
    'string',
    'Promise',
    'export',
    "'",
    '"',
    '`$' + '{1}`',
    '*/',
    '\u2028',
    '\n',
    '😀',
  ].map((name) => ({ name, inputSchema: {} })),
  {
    name: 'comments',
    title: '*/ alert(1) /*',
    description: 'Ends */ the comment\r\nand\u2028goes on `here` $' + '{there} // \\ \0',
    inputSchema: {
      type: 'object',
      properties: {
        'a*/b': { type: 'string', description: '*/ }; evil(); /*', default: '*/', format: '*/', pattern: '*/' },
        'line\nend': { type: 'number', description: 'two\nlines */', minimum: 1, maximum: 2 },
        '\u2028': { enum: ['\u2028', '*/', '"', "'", '`', '\\', '\n', ''] },
        '': { const: null },
        '1': { enum: [1, -1, 1e21, 1.5, true, null, {}, [], 'x'] },
      },
      required: ['a*/b', 'ghost', 7, null],
    } as JsonSchema,
  },
  {
    name: 'recursive',
    inputSchema: {
      type: 'object',
      properties: {
        tree: { $ref: '#/$defs/Tree' },
        promise: { $ref: '#/$defs/Promise' },
        self: { $ref: '#' },
        lost: { $ref: '#/$defs/Missing' },
        remote: { $ref: 'https://example.com/schema.json' },
        pointer: { $ref: '#/properties/tree' },
        escaped: { $ref: '#/$defs/a~1b%20c' },
        broken: { $ref: '#/%E0%A4%A' },
        loop: { $ref: '#/$defs/Loop' },
        ping: { $ref: '#/$defs/Ping' },
        both: { $ref: '#/$defs/Both' },
        map: { $ref: '#/definitions/Map' },
      },
      $defs: {
        Tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } } },
        Promise: { type: 'object', properties: { next: { $ref: '#/$defs/Promise' } } },
        Loop: { $ref: '#/$defs/Loop' },
        Ping: { anyOf: [{ $ref: '#/$defs/Pong' }, { type: 'string' }] },
        Pong: { oneOf: [{ $ref: '#/$defs/Ping' }, { type: 'array', items: { $ref: '#/$defs/Pong' } }] },
        Both: { allOf: [{ $ref: '#/$defs/Both' }, { $ref: '#/$defs/Tree' }] },
        'a/b c': { type: 'string' },
      },
      definitions: { Map: { type: 'object', additionalProperties: { $ref: '#/definitions/Map' } } },
    },
  },
  { name: 'doubling', inputSchema: DOUBLING },
  {
    name: 'old-drafts',
    inputSchema: {
      properties: {
        exclusive: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        tuple: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
        marked: { type: 'string', required: true, optional: true },
        nullable: { type: 'string', nullable: true, enum: ['a'] },
        either: { type: ['string', 'null', 'array'] },
        python: { type: 'dict' },
        wild: { type: 'any', items: { type: 'string' } },
        never: false,
        always: true,
      },
    },
  },
  {
    name: 'objects',
    inputSchema: {
      type: 'object',
      allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { required: ['b'] }],
      anyOf: [{ required: ['a'] }, { properties: { c: { type: 'number' } }, required: ['c'] }],
      properties: {
        b: {
          type: ['object', 'array'],
          properties: { deep: { type: 'object', additionalProperties: { type: 'number' } } },
        },
      },
      patternProperties: { '^(a+)+$': { type: 'number' } },
      additionalProperties: { type: 'boolean' },
    },
    outputSchema: {
      type: 'object',
      properties: { 'odd key': { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    },
  },
  {
    name: 'proto-property',
    inputSchema: json(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"},"toString":{"type":"string"}},"required":["__proto__","constructor"],"additionalProperties":false}',
    ),
  },
  {
    name: 'ten-thousand',
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, number) => [`p${number}`, { type: 'string' }])),
    },
  },
  {
    name: 'many-required',
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`p${number}`, { type: 'string' }])),
      required: Array.from({ length: 300 }, (_, number) => `p${number}`),
    },
  },
  {
    name: 'long-text',
    description: `${'x'.repeat(50_000)}. ${'语'.repeat(9_000)}`,
    inputSchema: {
      type: 'object',
      properties: {
        e: { enum: Array.from({ length: 5_000 }, (_, n) => `value ${n} ${'v'.repeat(100)}`) },
        ['k'.repeat(5_000)]: {},
      },
    },
  },
  // The maximum nesting that the connection accepts.
  { name: 'nested', inputSchema: nestedArrays(990) },
  ...[
    true,
    false,
    null,
    7,
    'text',
    [],
    { type: 7, properties: 'no', required: 'a', enum: {}, items: 3, anyOf: [null, 4], allOf: [] },
  ].map((schema, number) => ({
    name: `garbage-${number}`,
    inputSchema: schema as JsonSchema,
    outputSchema: schema as JsonSchema,
  })),
];

/** Returns the hostile definitions as tools of a server with this name. */
export function hostileTools(server: string): Tool[] {
  return HOSTILE_DEFINITIONS.map((definition) => ({ id: `${server}__${definition.name}`, server, definition }));
}

function nestedArrays(depth: number): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = { type: 'array', items: schema };
  return { type: 'object', properties: { deep: schema } };
}
