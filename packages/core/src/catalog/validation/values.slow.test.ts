import type { JsonSchema, Tool } from '@toolwright/connectors';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { catalogNames, readCatalog } from '../../../../../test/catalogs.ts';
import { needsData } from '../../../../../test/data.ts';
import { hostileTools } from '../../../../../test/hostile-tools.ts';
import { validateArguments } from './values.ts';

function tool(inputSchema: JsonSchema): Tool {
  return { id: 's__t', server: 's', definition: { name: 't', inputSchema } };
}

const ONLY_UNKNOWN = /^Invalid arguments: (?:[^;]+: unknown(?:, did you mean "[^"]*"\?)?(?:; )?)+(?:and \d+ more)?\.\n/;

const ISSUE = tool({
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    count: { type: 'integer', minimum: 1, maximum: 100 },
    author: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
  },
  required: ['title'],
  additionalProperties: false,
});

describe('validateArguments', () => {
  it('accepts valid arguments', () => {
    expect(
      validateArguments(ISSUE, { title: 'x', state: 'open', labels: ['a'], count: 3, author: { name: 'y' } }),
    ).toBeUndefined();
  });

  it('reports all problems at once, with the signature', () => {
    const args = { tilte: 'x', state: 'opne', labels: ['a', 3], count: 3.5, author: { nam: 'y' } };
    expect(validateArguments(ISSUE, args)).toBe(
      'Invalid arguments: title: missing (string), misspelled as "tilte"?; ' +
        'state: expected "open"|"closed", got string "opne", did you mean "open"?; ' +
        'labels[1]: expected string, got number 3; ' +
        'count: expected integer, got number 3.5; ' +
        'author.name: missing (string), misspelled as "nam"?; ' +
        'author.nam: unknown, did you mean "name"?; and 1 more.\n' +
        'Use servers.s.t({title: string, state?: "open"|"closed", labels?: string[], count?: number, author?: {name: string}})',
    );
  });

  it('checks bounds', () => {
    expect(validateArguments(ISSUE, { title: '', labels: ['a', 'b', 'c'], count: 101 })).toMatch(
      /^Invalid arguments: title: must have at least 1 characters, got 0; labels: must have at most 2 elements, got 3; count: must be at most 100, got 101\.\n/,
    );
  });

  it.each<[JsonSchema, Record<string, unknown>, string]>([
    [{ properties: { owner: {} } }, { onwer: 1 }, 'onwer: unknown, did you mean "owner"?'],
    [
      { properties: { to: { properties: { name: {} } } } },
      { to: { nmae: 1 } },
      'to.nmae: unknown, did you mean "name"?',
    ],
    [{ properties: { to: { items: { properties: { a: {} } } } } }, { to: [{ a: 1 }, { b: 1 }] }, 'to[1].b: unknown'],
    [{ properties: { a: {} }, allOf: [{ properties: { b: {} } }] }, { a: 1, b: 1, c: 1 }, 'c: unknown'],
    [{ properties: { a: {} }, anyOf: [{ required: ['a'] }, { properties: { b: {} } }] }, { a: 1, c: 1 }, 'c: unknown'],
    [{ anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, { a: 1, c: 1 }, 'c: unknown'],
    [{ $ref: '#/$defs/x', $defs: { x: { properties: { a: {} } } } }, { c: 1 }, 'c: unknown'],
  ])('refuses names that %j does not have, as the check before a run does', (schema, args, problem) => {
    expect(validateArguments(tool(schema), args)).toContain(`Invalid arguments: ${problem}.\nUse `);
  });

  it.each<[JsonSchema, Record<string, unknown>]>([
    [{ properties: { a: {} } }, { a: 1, b: undefined }],
    [{ properties: { a: {} }, additionalProperties: true }, { b: 1 }],
    [{ properties: { a: {} }, additionalProperties: {} }, { b: 1 }],
    [{ properties: { a: {} }, patternProperties: { '^x-': {} } }, { b: 1 }],
    [{ properties: { a: {} }, if: {}, else: { properties: { b: {} } } }, { b: 1 }],
    [{ type: 'object' }, { b: 1 }],
    [{ properties: {} }, { b: 1 }],
    [{ anyOf: [{ properties: { a: {} } }, { type: 'object' }] }, { b: 1 }],
    [{ properties: { a: {} }, allOf: [{ additionalProperties: true }] }, { b: 1 }],
  ])('accepts other names where %j allows them or names none', (schema, args) => {
    expect(validateArguments(tool(schema), args)).toBeUndefined();
  });

  it('refuses names that a schema forbids', () => {
    expect(
      validateArguments(tool({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }), { a: 1, b: 1 }),
    ).toMatch(/^Invalid arguments: b: unknown\./);
  });

  it.each([
    [
      { if: { required: ['z'] }, else: { properties: { b: {} } } },
      { a: 1, b: 1 },
    ],
    [{ dependentSchemas: { a: { properties: { b: {} } } } }, { a: 1, b: 1 }],
    [{ additionalProperties: { type: 'number' } }, { b: 1 }],
    [{ allOf: [{ unevaluatedProperties: true }] }, { b: 1 }],
    [{ allOf: [{ patternProperties: { '^b': {} } }] }, { b: 1 }],
    [{ allOf: [{ oneOf: [{ properties: { b: {} }, required: ['b'] }, { required: ['c'] }] }] }, { b: 1 }],
    [{ $ref: '#/$defs/x', $defs: { x: { anyOf: [{ properties: { b: {} } }] } } }, { b: 1 }],
  ])('accepts every property that %j evaluates', (schema, args) => {
    const full = { properties: { a: {} }, unevaluatedProperties: false, ...schema };
    expect(new Ajv2020({ strict: false }).validate(full, args)).toBe(true);
    expect(validateArguments(tool(full as JsonSchema), args)).toBeUndefined();
  });

  it('reports the problems of the intended alternative', () => {
    const either = tool({
      properties: {
        to: {
          anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] }],
        },
      },
    });
    expect(validateArguments(either, { to: { id: 'x' } })).toMatch(
      /^Invalid arguments: to\.id: expected number, got string "x"\./,
    );
    expect(validateArguments(either, { to: 5 })).toMatch(
      /^Invalid arguments: to: expected string \| \{id: number\}, got number 5\./,
    );
  });

  describe('of a union', () => {
    const SHAPES = [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
        required: ['kind', 'radius'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'box' }, width: { type: 'number' }, height: { type: 'number' } },
        required: ['kind', 'width', 'height'],
      },
      { type: 'string' },
    ];
    const union = (keyword: string) => tool({ properties: { shape: { [keyword]: SHAPES } }, required: ['shape'] });
    const first = (args: Record<string, unknown>, keyword = 'oneOf') =>
      validateArguments(union(keyword), args)?.split('\n')[0];

    it.each([
      [
        'the missing field of the member with this constant',
        { kind: 'box', width: 1 },
        'shape.height: missing (number)',
      ],
      ['the wrong field of it', { kind: 'circle', radius: 'x' }, 'shape.radius: expected number, got string "x"'],
      [
        'the fields of the member with the fewest problems',
        { radius: 2 },
        'shape.kind: missing ("circle") (nearest of 3 alternatives)',
      ],
      [
        'a wrong constant',
        { kind: 'circl', radius: 1 },
        'shape.kind: expected "circle", got string "circl", did you mean "circle"? (nearest of 3 alternatives)',
      ],
      [
        'all types for a value of another type',
        5,
        /^shape: expected \{kind: "circle", radius: number\} \| .*, got number 5$/,
      ],
    ])('names %s', (_name, shape, problem) => {
      for (const keyword of ['anyOf', 'oneOf']) {
        const message = first({ shape }, keyword)
          ?.replace(/^Invalid arguments: /, '')
          .replace(/\.$/, '');
        if (typeof problem === 'string') expect(message).toBe(problem);
        else expect(message).toMatch(problem);
      }
    });

    it('names it in members behind references, in lists, and where the arguments themselves are a union', () => {
      const $defs = { circle: SHAPES[0], box: SHAPES[1] };
      const members = [{ $ref: '#/$defs/circle' }, { allOf: [{ $ref: '#/$defs/box' }] }];
      const list = tool({ $defs, properties: { shapes: { type: 'array', items: { anyOf: members } } } });
      expect(
        validateArguments(list, {
          shapes: [
            { kind: 'circle', radius: 1 },
            { kind: 'box', height: 1 },
          ],
        }),
      ).toMatch(/^Invalid arguments: shapes\[1\]\.width: missing \(number\)\./);
      const whole = tool({ $defs, type: 'object', oneOf: members });
      expect(validateArguments(whole, { kind: 'box', height: 1 })).toMatch(
        /^Invalid arguments: width: missing \(number\)\./,
      );
    });
  });

  it('accepts calls without required properties that have a default', () => {
    const shot = tool({
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['png', 'jpeg'], default: 'png' },
        element: { type: 'object', properties: { ref: { $ref: '#/$defs/ref' }, id: {} }, required: ['ref', 'id'] },
      },
      required: ['type'],
      $defs: { ref: { type: 'string', default: 'body' } },
      additionalProperties: false,
    });
    expect(validateArguments(shot, {})).toBeUndefined();
    expect(validateArguments(shot, { element: { id: 1 } })).toBeUndefined();
    expect(validateArguments(shot, { type: 'gif', element: {} })).toMatch(
      /^Invalid arguments: type: expected "png"\|"jpeg", got string "gif".*; element\.id: missing \(unknown\)\.\nUse servers\.s\.t\(\{type\?: "png"\|"jpeg", element\?: \{id: unknown, ref\?: string\}\}\)/,
    );
  });

  it('checks __proto__ and constructor like any other key', () => {
    const subject = hostileTools('s').find(({ id }) => id === 's__proto-property');
    if (!subject) throw new Error('no such tool');
    expect(validateArguments(subject, JSON.parse('{"__proto__":"a","constructor":1}'))).toBeUndefined();
    expect(validateArguments(subject, {})).toMatch(
      /^Invalid arguments: __proto__: missing \(string\); constructor: missing \(number\)\./,
    );
    expect(validateArguments(subject, JSON.parse('{"__proto__":1,"constructor":1}'))).toMatch(
      /^Invalid arguments: __proto__: expected string, got number 1\./,
    );
    expect(
      validateArguments(tool({ properties: {}, additionalProperties: false }), JSON.parse('{"__proto__":1}')),
    ).toMatch(/^Invalid arguments: __proto__: unknown\./);
  });

  it('looks for suggestions for the listed problems only', () => {
    const values = Array.from({ length: 500 }, (_, index) => `v${index}`);
    const element = { anyOf: [{ type: 'integer' }, { enum: values }, { type: 'object' }] };
    const subject = tool({ properties: { list: { type: 'array', items: element } } });
    const list = Array.from({ length: 10_000 }, (_, index) => `w${index}`);
    const start = process.cpuUsage();
    const problem = validateArguments(subject, { list });
    const { user, system } = process.cpuUsage(start);
    expect(problem).toContain('and 9994 more');
    // Suggestions for all of them would take minutes.
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });

  it('ends quickly on hostile schemas and arguments', () => {
    let nested: unknown = {};
    for (let level = 0; level < 60; level++)
      nested = { start: nested, tree: { children: [nested] }, deep: [nested], promise: nested };
    const start = process.cpuUsage();
    for (const hostile of hostileTools('s')) {
      validateArguments(hostile, { start: 1 });
      validateArguments(hostile, nested as Record<string, unknown>);
    }
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(20_000);
  });

  needsData.it('never rejects arguments that a full validator accepts', () => {
    const ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      validateSchema: false,
      logger: false,
      ownProperties: true,
    });
    let refused = 0;
    let both = 0;
    for (const { tools } of catalogNames().flatMap((name) => readCatalog(name).slice(0, 50))) {
      for (const subject of tools) {
        let accepts: (args: unknown) => unknown;
        try {
          accepts = ajv.compile(subject.definition.inputSchema as object);
        } catch {
          continue;
        }
        for (const args of guesses(subject)) {
          const accepted = accepts(args) === true;
          const problem = validateArguments(subject, args);
          // Names that a schema does not have are refused, although JSON Schema allows them.
          if (accepted && !ONLY_UNKNOWN.test(problem ?? ''))
            expect([subject.id, args, problem]).toEqual([subject.id, args, undefined]);
          if (!accepted && problem !== undefined) both++;
          if (!accepted) refused++;
        }
      }
    }
    expect(both / refused).toBeGreaterThan(0.99);
  });
});

/** Returns some valid and some invalid arguments for a tool. */
function guesses({ definition }: Tool): Record<string, unknown>[] {
  const schema = definition.inputSchema as { properties?: Record<string, unknown>; required?: string[] };
  const names = Object.keys(schema.properties ?? {});
  const values = ['text', 5, 1.5, true, null, [], ['x'], {}, { a: 1 }];
  return [
    {},
    { surprise: 1 },
    ...values.map((value) => Object.fromEntries(names.map((name) => [name, value]))),
    ...values.map((value) => Object.fromEntries((schema.required ?? []).map((name) => [name, value]))),
  ];
}
