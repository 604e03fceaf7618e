import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCode } from '../../packages/sandbox/src/index.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';

/** Folder with `urltestdata.json` and `setters_tests.json` of web-platform-tests (https://github.com/web-platform-tests/wpt, `url/resources`). */
const folder = process.env.TOOLWRIGHT_WPT_URL;
/** Cases of one program. */
const PART = 200;

const read = (name: string) => JSON.parse(readFileSync(join(folder ?? '', name), 'utf8'));
const PARSE = `return cases.map(({ input, base }) => { try { const url = new URL(input, base ?? undefined);
  return [url.href, url.origin, url.host, url.pathname, [...url.searchParams]] } catch (error) { return error.name } })`;
const SET = `return cases.map(({ name, href, new_value }) => { const url = new URL(href); url[name] = new_value;
  return [url.href, url.host, url.pathname, [...url.searchParams]] })`;

/** Compares quickjs with this Node, whose answers differ from the data where the standard is newer. */
async function compare(code: string, cases: readonly unknown[]): Promise<void> {
  await using sandbox = quickjsSandbox();
  for (let at = 0; at < cases.length; at += PART) {
    const part = cases.slice(at, at + PART);
    const source = `const cases = JSON.parse(${JSON.stringify(JSON.stringify(part))});\n${code}`;
    const result = await runCode<unknown[]>(source, { sandbox });
    expect(result).toMatchObject({ status: 'completed', value: new Function('cases', code)(part) });
  }
}

const title = 'the URLs of web-platform-tests, in quickjs as in Node';
const skipped = folder === undefined ? ' (skipped: set TOOLWRIGHT_WPT_URL to a folder with the data)' : '';
describe.skipIf(folder === undefined)(`${title}${skipped}`, () => {
  it('are parsed and refused', () =>
    compare(
      PARSE,
      read('urltestdata.json').filter((each: unknown) => typeof each !== 'string'),
    ));

  it('are changed', () => {
    const { comment: _, ...tables } = read('setters_tests.json');
    const cases = Object.entries(tables).flatMap(([name, each]) => (each as object[]).map((one) => ({ ...one, name })));
    return compare(SET, cases);
  });
});
