import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

/** Runs a block against the sources, and returns the lines that it prints. */
async function run(block: string): Promise<string[]> {
  const printed: string[] = [];
  const load = (name: string) => (name === '@toolwright/pii' ? import('./index.ts') : import(name));
  const body = block.replaceAll(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = await load($2);');
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await AsyncFunction('load', 'console', body)(load, { log: (...values: unknown[]) => printed.push(values.join(' ')) });
  return printed;
}

it('has blocks to run', () => {
  expect(BLOCKS.length).toBeGreaterThanOrEqual(5);
});

it.each(BLOCKS)('block %$ prints its comments', async (block) => {
  const comments = [...block.matchAll(/\/\/ (.*)$/gm)].map(([, text]) => text);
  expect(comments.length).toBeGreaterThan(0);
  expect(await run(block)).toEqual(comments);
});
