import type { JsonSchema, Tool } from '@toolwright/connectors';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { catalogNames, readCatalog } from '../../../../../../test/catalogs.ts';
import { needsData } from '../../../../../../test/data.ts';
import { needsPython, python } from '../../../../../../test/fixtures/python.ts';
import { hostileTools } from '../../../../../../test/hostile-tools.ts';
import { toolSummary } from '../signature.ts';
import { createPythonLocations } from './locations.ts';
import { pythonSignature } from './signature.ts';

const MAX_HIT_TOKENS = 200;
const PLACE = { module: 's', name: 't' };

function tool(inputSchema: JsonSchema, outputSchema?: JsonSchema): Tool {
  const definition = { name: 't', inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
  return { id: 's__t', server: 's', definition };
}

function signature(properties: Record<string, JsonSchema>, required: string[] = []): string {
  return pythonSignature(tool({ type: 'object', properties, required }), PLACE);
}

/** Returns the signatures of these tools, each with its server's module. */
function signatures(tools: readonly Tool[]): string[] {
  const servers = [...new Set(tools.map(({ server }) => server))];
  const locations = createPythonLocations(new Map(servers.map((server) => [server, server])));
  for (const server of servers)
    locations.set(
      server,
      tools.filter((held) => held.server === server),
    );
  return tools.map((held) => pythonSignature(held, locations.of(held)));
}

/** Returns the texts that Python cannot parse when their annotations are part of a definition. */
function unparsable(texts: readonly string[]): unknown {
  const code = `
import ast, re
bad = []
for text in json.load(sys.stdin):
    match = re.fullmatch(r"await servers\\.(\\w+)\\.(\\w+)(\\(.*)", text)
    try:
        ast.parse(f"async def {match[2]}{match[3]}: ...")
    except Exception as error:
        bad.append([text, repr(error)])
print(json.dumps(bad[:10]))`;
  return python(code, texts);
}

function hitTokens(subject: Tool, text: string): number {
  return countTokens(`${text}\n  ${toolSummary(subject)}\n`, { disallowedSpecial: new Set() });
}

needsPython.describe('pythonSignature', () => {
  it('is one call with required parameters first', () => {
    const properties = {
      body: { type: ['string', 'null'] },
      owner: { type: 'string' },
      labels: { type: 'array', items: { type: 'string' } },
    };
    const input = { type: 'object', properties, required: ['owner'] };
    const output = {
      type: 'object',
      properties: { number: { type: 'integer' }, url: { type: 'string' } },
      required: ['number'],
    };
    expect(pythonSignature(tool(input, output), { module: 'github', name: 'create_issue' })).toBe(
      'await servers.github.create_issue(owner: str, body: str = ..., labels: list[str] = ...) -> {"number": int, "url": NotRequired[str]}',
    );
    expect(pythonSignature(tool({ type: 'object', properties: {} }), PLACE)).toBe('await servers.s.t()');
    expect(pythonSignature(tool({ additionalProperties: true }), PLACE)).toBe('await servers.s.t(args: dict, /)');
    expect(pythonSignature(tool({ oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }), PLACE)).toBe(
      'await servers.s.t(args: {"a": NotRequired[Any]} | {"b": NotRequired[Any]}, /)',
    );
  });

  it.each<[string, JsonSchema]>([
    ['"a"|"b"', { enum: ['a', 'b'] }],
    ['1', { const: 1 }],
    ['True | 1.5 | "x" | dict | list | None', { enum: [true, null, 1.5, 'x', {}, []] }],
    ['list[str | float]', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }],
    ['list[str]', { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } }],
    ['list', { type: 'array' }],
    ['str | float | None', { anyOf: [{ type: 'null' }, { type: 'string' }, { type: 'number' }] }],
    ['list[str | None]', { type: 'array', items: { type: ['null', 'string'] } }],
    ['dict[str, int]', { type: 'object', additionalProperties: { type: 'integer' } }],
    ['dict', { type: 'object' }],
    ['bool', { $ref: '#/$defs/Flag' }],
    // Nobody can satisfy a required property without values, so it is optional.
    ['Never = ...', false],
    ['Any', {}],
    [
      '{"b": Any, "a": NotRequired[str]}',
      { allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: {} }, required: ['b'] }] },
    ],
    [
      '{"a": NotRequired[str]}',
      { properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { properties: { c: {} } }] },
    ],
    [
      '{"b": int, "a": str} | None',
      {
        type: ['null', 'object'],
        properties: { b: { type: 'integer' } },
        allOf: [{ properties: { a: { type: 'string' } } }],
        required: ['a', 'b'],
      },
    ],
  ])('writes %s', (text, schema) => {
    const input = { properties: { x: schema }, required: ['x'], $defs: { Flag: { type: 'boolean' } } };
    expect(pythonSignature(tool(input), PLACE)).toBe(`await servers.s.t(x: ${text})`);
  });

  it('writes valid Python names', () => {
    expect(signature({ from: {}, 'odd name': {}, odd_name: {}, type: {} })).toMatch(
      /^await servers\.s\.t\(from_: Any = \.\.\., odd_name_[\da-f]{6}: Any = \.\.\., odd_name: Any = \.\.\., type: Any = \.\.\.\)$/,
    );
  });

  it('counts hidden parameters, and shows required ones', () => {
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`parameter${n}`, { type: 'string' }]));
    expect(signature(properties, ['parameter39'])).toMatch(
      /^await servers\.s\.t\(parameter39: str, parameter0: str = \.\.\., .*, \*\*plus_\d+_optional\)$/,
    );
    expect(signature(properties, Object.keys(properties))).toMatch(/, \*\*plus_20_required\)$/);
  });

  it('is one short line for hostile tools', () => {
    const tools = hostileTools('s');
    for (const [index, text] of signatures(tools).entries()) {
      expect(text).not.toMatch(/[\n\r\u2028]/);
      const subject = tools[index];
      if (subject && subject.id.length < 100)
        expect([subject.id, hitTokens(subject, text) <= 250]).toEqual([subject.id, true]);
    }
    expect(unparsable(signatures(tools).filter((text) => !text.includes('…')))).toEqual([]);
  });

  needsData.it('uses few tokens', () => {
    const tools = ['livemcpbench', 'github-mcp', 'toucan'].flatMap(readCatalog).flatMap((server) => server.tools);
    const texts = signatures(tools);
    const tokens = tools.map((subject, index) => hitTokens(subject, texts[index] ?? '')).sort((a, b) => a - b);
    expect(tokens.reduce((sum, count) => sum + count, 0) / tokens.length).toBeLessThanOrEqual(45);
    expect(tokens[Math.floor(tokens.length * 0.95)]).toBeLessThanOrEqual(120);
    expect(tokens.at(-1)).toBeLessThanOrEqual(MAX_HIT_TOKENS);
  });

  needsData.it('can be parsed for every tool of every catalog', () => {
    const texts = catalogNames().flatMap((name) => signatures(readCatalog(name).flatMap(({ tools }) => tools)));
    expect(texts.length).toBeGreaterThan(7_000);
    expect(unparsable(texts.filter((text) => !text.includes('…')))).toEqual([]);
    expect(texts.filter((text) => text.includes('…')).length).toBeLessThan(10);
  });
});
