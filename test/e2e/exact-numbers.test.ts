import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { ToolLanguage } from '../../packages/connectors/src/tools/tool.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { exactText, parseWithDigits } from '../../packages/sandbox/src/bridge/exact-json.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { fixture, listen } from '../fixtures/server.ts';

const LARGE = '1917043659912705296';
const http = await listen('numbers', 'http');
const stream = await listen('numbers', 'sse');
const records: unknown[] = [];
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  mcpServers: {
    first: fixture('numbers'),
    second: fixture('numbers'),
    web: { url: `${http.origin}/mcp`, type: 'http' },
    events: { url: `${stream.origin}/mcp`, type: 'http' },
  },
  tools: {
    own: {
      tools: {
        echo: { run: (args: { value?: unknown }) => args.value },
        keep: { run: (args) => void records.push(args) },
        large: { run: () => ({ id: 2n ** 64n, small: 5n }) },
      },
    },
  },
  sandbox: 'auto',
  pii: { mode: 'off' },
});
afterAll(async () => {
  await toolwright.close();
  await http.close();
  await stream.close();
});

const LANGUAGES: readonly ToolLanguage[] = ['typescript', 'python'];

/** Runs a program, and returns its value. */
async function resultFrom(code: string, language: ToolLanguage = 'typescript'): Promise<unknown> {
  const result = await toolwright.execute(code, { language });
  if (result.status === 'completed') return result.value;
  throw new Error(JSON.stringify(result));
}

/** A program that gets data from one server, passes them to another, and returns the raw arguments that arrived there. */
function passOn(language: ToolLanguage, from: string, to: string, json: string, place: string): string {
  const text = JSON.stringify(json);
  return language === 'python'
    ? `r = await call_mcp_tool("${from}", {"json": ${text}})\nresult = await call_mcp_tool("${to}", ${place})`
    : `const r = await callMCPTool("${from}", { json: ${text} }); return callMCPTool("${to}", ${place});`;
}

describe.each(LANGUAGES)('%s', (language) => {
  const own = language === 'python' ? 'r["data"]' : 'r.data';
  test.each([
    ['first__get', 'second__put'],
    ['first__textual', 'second__put'],
    ['web__get', 'first__put'],
    ['events__get', 'web__put'],
    ['web__textual', 'events__put'],
  ])('the digits of an id arrive from %s at %s', async (from, to) => {
    for (const id of [
      LARGE,
      `-${LARGE}`,
      '9007199254740992',
      '9007199254740993',
      '9007199254740991',
      '9'.repeat(100),
    ]) {
      const bounded = id.length < 20 ? id : '7';
      expect(await resultFrom(passOn(language, from, to, id, `{"id": ${own}}`).replace(id, bounded), language)).toBe(
        `received {"id":${bounded}}`,
      );
    }
  });

  test('lists, nested values and keys keep their digits, and doubles stay numbers', async () => {
    const json = `[1,${LARGE},-0,[{"${LARGE}":9007199254740993}],1e20,1.5,"${LARGE}"]`;
    const ids =
      language === 'python'
        ? 'r["data"][1], r["data"][3][0]["1917043659912705296"]'
        : 'r.data[1], r.data[3][0]["1917043659912705296"]';
    expect(
      await resultFrom(
        passOn(language, 'first__get', 'second__put', json, `{"ids": [${ids}], "any": ${own}}`),
        language,
      ),
    ).toBe(
      language === 'python'
        ? `received {"ids":[${LARGE},9007199254740993],"any":[1,${LARGE},0,[{"${LARGE}":9007199254740993}],1e+20,1.5,"${LARGE}"]}`
        : `received {"ids":[${LARGE},9007199254740993],"any":[1,"${LARGE}",0,[{"${LARGE}":"9007199254740993"}],1e+20,1.5,"${LARGE}"]}`,
    );
  });

  test('random data arrive at a tool of this process as they are', async () => {
    const leaf = fc.oneof(
      fc
        .bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
        .map((integer) => (Number.isSafeInteger(Number(integer)) ? Number(integer) : integer)),
      fc.constantFrom<unknown>(LARGE, null, true, '__proto__', 'x'),
    );
    const data = fc.array(fc.dictionary(fc.constantFrom('a', 'b', LARGE), leaf), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        records.length = 0;
        const text = exactText(value);
        const read =
          language === 'python'
            ? `import json\ndata = json.loads(${JSON.stringify(text)})`
            : `const data = JSON.parse(${JSON.stringify(text)});`;
        const call =
          language === 'python'
            ? 'result = await call_mcp_tool("own__keep", {"value": data})'
            : 'return callMCPTool("own__keep", { value: data });';
        await resultFrom(`${read}\n${call}`, language);
        const expected = language === 'python' ? value : parseWithDigits(text);
        expect(records).toEqual([{ value: expected }]);
      }),
      { numRuns: 8 },
    );
  });

  test('a function of this process receives and returns a bigint', async () => {
    const code =
      language === 'python'
        ? `result = [await call_mcp_tool("own__large", {}), await call_mcp_tool("own__echo", {"value": ${LARGE}})]`
        : `return [await callMCPTool("own__large", {}), await callMCPTool("own__echo", { value: ${LARGE}n })];`;
    expect(await resultFrom(code, language)).toEqual([{ id: '18446744073709551616', small: 5 }, LARGE]);
  });
});

test('Python gets whole numbers, and JSON text in its programs is exact', async () => {
  const code = `import json
r = await call_mcp_tool("first__get", {"json": "[${LARGE}]"})
result = [type(r["data"][0]).__name__, r["data"][0] + 1, json.loads("{\\"id\\": ${LARGE}}")["id"] % 10]`;
  expect(await resultFrom(code, 'python')).toEqual(['int', '1917043659912705297', 6]);
});

test('TypeScript gets the digits as text, with one line in the logs that names the tool and the place', async () => {
  const result = await toolwright.execute(
    `const r = await callMCPTool("first__get", { json: '[{"id":${LARGE}}]' });
await callMCPTool("first__get", { json: '${LARGE}' });
return [typeof r.data[0].id, BigInt(r.data[0].id) + 1n];`,
  );
  expect(result).toMatchObject({ status: 'completed', value: ['string', '1917043659912705297'] });
  expect(result.logs.map(({ text }) => text).filter((text) => text.includes('2^53'))).toEqual([
    'first__get returned data[0].id, a whole number beyond 2^53. The program gets the digits of such numbers as text: pass the text on as it is, or use BigInt(text).',
  ]);
});

test.each([
  [`return callMCPTool("second__put", { id: ${LARGE} })`, /line 1, column 41 is beyond 2\^53/],
  [`const hex = 0xFFFF_FFFF_FFFF_FFFF;\nreturn hex;`, /line 1, column 13/],
  [
    `return callMCPTool("second__put", { id: Number("${LARGE}") })`,
    /id: expected integer, got 1917043659912705300, whose digits are not exact beyond 2\^53: pass them as text or as a BigInt/,
  ],
  [`return callMCPTool("second__put", { id: "9223372036854775809999" })`, /id: must be at most/],
  [
    `return callMCPTool("second__put", { kind: "1917043659912705297" })`,
    /'kind' takes "1917043659912705296" \| 1, not/,
  ],
  [
    `return callMCPTool("own__echo", { value: BigInt("7".repeat(5000)) })`,
    /A BigInt has 5000 digits; the limit is 4300/,
  ],
])('an error names the number: %s', async (code, message) => {
  const result = await toolwright.execute(code);
  expect(result).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(message) } });
});

test('JSON text in a program keeps its digits, with one line in the logs', async () => {
  const result = await toolwright.execute(
    `const text = '{"id":${LARGE},"text":"[${LARGE}","n":5}';
return [JSON.parse(text), utils.parseJSON(text).id, JSON.parse(text, (key, value) => (key === 'n' ? 6 : value)).n];`,
  );
  expect(result).toMatchObject({
    status: 'completed',
    value: [{ id: LARGE, text: `[${LARGE}`, n: 5 }, LARGE, 6],
  });
  expect(result.logs.filter(({ text }) => text.includes('2^53'))).toHaveLength(1);
});

test('the types of tools show where such numbers were seen', async () => {
  await resultFrom(`return callMCPTool("second__get", { json: '{"id":${LARGE}}' })`);
  await resultFrom(`return callMCPTool("web__declared", { json: '{"id":${LARGE}}' })`);
  expect(await toolwright.describe('second__get', 'signature')).toContain('{data: {id: number | string}}');
  expect(await toolwright.describe('second__get', 'signature', { language: 'python' })).not.toContain('str |');
  expect(await toolwright.describe('web__declared', 'signature')).toContain('id?: number | string');
  expect(await toolwright.describe('second__declared', 'signature')).toContain('id?: number');
  const check = (id: string) => toolwright.check(`return callMCPTool("second__put", { id: ${id} })`);
  expect(await check(`"${LARGE}"`)).toMatchObject({ status: 'passed' });
  expect(await check(`${LARGE}n`)).toMatchObject({ status: 'passed' });
  expect(await check('"seven"')).toMatchObject({ status: 'failed' });
});

test('a server that sends a number of a million digits does not stop others', async () => {
  const code = `return callMCPTool("own__echo", { value: 1 })`;
  const huge = toolwright.execute(`return callMCPTool("first__get", { json: '7'.repeat(1_000_000) })`, {
    limits: { timeoutMs: 5_000 },
  });
  expect(await resultFrom(code)).toBe(1);
  expect((await huge).status).not.toBe('completed');
});
