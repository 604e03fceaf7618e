import type { Connector, ToolDefinition } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { needsPython, python } from '../../../../../test/fixtures/python.ts';
import { createCatalog } from '../catalog.ts';
import { MAX_DETAILS_CHARACTERS } from './outline.ts';

const LONG = 'Words that describe one field of one request, with its limits and examples. '.repeat(3);
const fields = (count: number, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties: {
    ...Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`field${at}`, { type: 'string', description: LONG }]),
    ),
    ...more,
  },
  required: ['field0'],
});
/** A schema as of a spreadsheet: 24 kinds of requests in one list, most with types that they share. */
const BATCH: ToolDefinition = {
  name: 'batch',
  description: 'Changes a sheet.',
  inputSchema: {
    type: 'object',
    properties: {
      requests: {
        type: 'array',
        items: {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 24 }, (_, at) => [`change${at}`, fields(10, { range: { $ref: '#/$defs/Range' } })]),
          ),
        },
      },
      options: fields(40),
    },
    required: ['requests'],
    $defs: { Range: fields(8, { next: { $ref: '#/$defs/Range' } }) },
  },
  outputSchema: fields(30),
};
const INSTRUCTIONS = `# Sheets\n\nWorks on sheets. Call read first.\n\n${'A rule for models.\n'.repeat(1_500)}The last rule.`;

function sheets(): Connector {
  return {
    name: 'sheets',
    description: 'Works on sheets.',
    instructions: INSTRUCTIONS,
    status: () => ({ state: 'ready', starts: 1 }),
    tools: async () => [BATCH, { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }],
    onToolsChanged: () => () => undefined,
    call: async () => null,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
const catalog = createCatalog({ connectors: [sheets()] });
const details = (name: string, language: 'typescript' | 'python' = 'typescript') =>
  catalog.describe(name, 'docs', language);

/** Returns the text of a name and of everything that it names as left out, by name. */
async function everything(name: string, language: 'typescript' | 'python'): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const names = new Set([name]);
  for (const next of names) {
    const text = await details(next, language);
    found.set(next, text);
    const [, left = ''] = /Left out: (.*)\. Show one/.exec(text) ?? [];
    for (const type of left.split(/, | and \d+ more/)) if (type !== '') names.add(`${name}.${type}`);
    const [, page] = /more characters: get_mcp_tool_details\("([^"]+)"\)/.exec(text) ?? [];
    if (page !== undefined) names.add(page);
  }
  return found;
}

describe('a definition of 70 kB', () => {
  it.each(['typescript', 'python'] as const)(
    'is bounded in %s, and its types are shown by their names',
    async (language) => {
      expect(JSON.stringify(BATCH).length).toBeGreaterThan(70_000);
      const found = await everything('sheets__batch', language);
      const [first = ''] = found.values();
      expect(first).toContain('Changes a sheet.');
      for (const [name, text] of found) expect([name, text.length <= MAX_DETAILS_CHARACTERS]).toEqual([name, true]);
      const whole = [...found.values()].join('\n');
      for (const field of ['requests', 'change0', 'change23', 'options', 'field39', 'next'])
        expect(whole).toContain(field);
      // Every type that is used is declared somewhere.
      const used = [...whole.matchAll(/\b(?:Args|Batch|Range|Result)[A-Z]\w*/g)].map(([type]) => type);
      const declared = new Set([...whole.matchAll(/^(?:type|class) (\w+)/gm)].map(([, type]) => type));
      expect(used.length).toBeGreaterThan(20);
      expect(used.filter((type) => !declared.has(type))).toEqual([]);
    },
  );

  needsPython.it('is Python in each of its parts', async () => {
    const found = await everything('servers.sheets.batch', 'python');
    expect(found.size).toBeGreaterThan(1);
    const code = 'import ast\nfor text in json.load(sys.stdin): ast.parse(text)\nprint(json.dumps("parsed"))';
    expect(python(code, [...found.values()])).toBe('parsed');
  });

  it('names a wrong type and a wrong page', async () => {
    const failure = (name: string) => details(name).catch((error: { code: string; message: string }) => error);
    expect(await failure('sheets__batch.Rang')).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: 'sheets__batch has no type "Rang". Did you mean sheets__batch.Range?',
    });
    expect(await failure('sheets__batch.99')).toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: expect.stringContaining('has no page 99'),
    });
    expect(await failure('sheets__batsh')).toMatchObject({
      message: expect.stringContaining('Unknown tool "sheets__batsh"'),
    });
    expect(await failure('sheets__batch.Range.Range')).toMatchObject({
      message: expect.stringContaining('Unknown tool'),
    });
  });
});

it('a small definition is one text, whose types have names too', async () => {
  expect(await details('sheets__read')).toBe(
    '/** Reads. */\ndeclare function callMCPTool(name: "sheets__read", args?: { [key: string]: unknown }): Promise<any>;\n',
  );
});

it('the name of a server shows its whole instructions in pages, and its tools', async () => {
  const pages = [await details('sheets'), await details('sheets.2')];
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(MAX_DETAILS_CHARACTERS);
  expect(pages[0]).toMatch(/^Server sheets: Works on sheets\.\n\nInstructions:\n# Sheets\n/);
  expect(pages[0]).toMatch(/\n\/\/ \d+ more characters: get_mcp_tool_details\("sheets\.2"\)\n$/);
  const text = pages.join('').replace(/\/\/ \d+ more characters.*\n/, '');
  expect(text).toContain(INSTRUCTIONS);
  expect(text).toMatch(/The last rule\.\n\n2 tools: sheets__batch, sheets__read$/);
  expect(await details('sheets', 'python')).toBe(pages[0]);
  await expect(details('sheets.3')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
});
