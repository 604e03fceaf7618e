import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { GUEST_MODULES } from '../../packages/sandbox/src/languages/typescript/guest-modules.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { BYTES, HASHES, PATHS, type Table, UTILITIES } from './built-ins/modules.ts';
import { byExpression, inNode, inSandbox } from './built-ins/outcomes.ts';
import { STREAMS } from './built-ins/streams.ts';
import { URL_EXPRESSIONS } from './built-ins/urls.ts';
import { WEB } from './built-ins/web.ts';

/** The built-ins of programs by topic. A built-in answers as Node does. */
const TABLES: Readonly<Record<string, Table>> = {
  URL: { expressions: URL_EXPRESSIONS },
  'path, url, querystring': PATHS,
  'util, assert, events': UTILITIES,
  'Buffer, string_decoder': BYTES,
  'crypto, zlib': HASHES,
  'stream, readline, timers': STREAMS,
  'the web platform': WEB,
};

const probe = await probeJail();
const jail = probe.available ? await jailSandbox() : undefined;
const quickjs = quickjsSandbox();

afterAll(async () => {
  await jail?.[Symbol.asyncDispose]();
  await quickjs[Symbol.asyncDispose]();
});

async function compare(sandbox: Sandbox, topic: string): Promise<void> {
  const { expressions = [], imports } = TABLES[topic] ?? {};
  const [own, nodes] = [await inSandbox(sandbox, expressions, imports), inNode(expressions, imports)];
  expect(byExpression(expressions, own)).toEqual(byExpression(expressions, nodes));
}

/** A small input that holds more than a guest may have. */
const bomb = gzipSync(new Uint8Array(70 * 1024 * 1024)).toString('base64');

async function refuseBomb(sandbox: Sandbox): Promise<void> {
  const imports = `import { gunzipSync } from 'zlib';\nconst bomb = Buffer.from('${bomb}', 'base64');`;
  const outcomes = await inSandbox(
    sandbox,
    ['gunzipSync(bomb)', 'gunzipSync(bomb, { maxOutputLength: 2 ** 31 })'],
    imports,
  );
  expect(outcomes).toEqual([1, 2].map(() => ({ error: 'RangeError', code: 'ERR_BUFFER_TOO_LARGE' })));
}

async function importAll(sandbox: Sandbox): Promise<void> {
  const names = [...GUEST_MODULES].flatMap((name) => [name, `node:${name}`]);
  const expressions = names.map((name) => `typeof (await import('${name}')).default`);
  const outcomes = await inSandbox(sandbox, expressions);
  const required = names.map((name) => `require('${name}') === (await import('${name}')).default`);
  expect(await inSandbox(sandbox, required)).toEqual(names.map(() => ({ value: true })));
  expect(outcomes).toEqual(names.map(() => ({ value: expect.stringMatching(/^(?:object|function)$/) })));
}

/** https://encoding.spec.whatwg.org/index-windows-1252.txt */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

async function decodeWindows1252(sandbox: Sandbox): Promise<void> {
  const bytes = 'Uint8Array.from({ length: 33 }, (_, index) => index + 0x80)';
  const decoders = ['windows-1252', 'latin1', 'ascii'].map((label) => `new TextDecoder('${label}').decode(${bytes})`);
  const all = [...decoders, `new (require('util').TextDecoder)('cp1252').decode(${bytes})`];
  expect(await inSandbox(sandbox, all)).toEqual(all.map(() => ({ value: `${WINDOWS_1252}\u00a0` })));
}

it('quickjs decodes Windows-1252', () => decodeWindows1252(quickjs));
it('quickjs has every module of the list', () => importAll(quickjs));
it('quickjs bounds the output of decompression', () => refuseBomb(quickjs));
it.each(Object.keys(TABLES))('quickjs answers as Node does: %s', (topic) => compare(quickjs, topic));

needs('jail', missingSandbox(probe)).describe('jail', () => {
  it('has every module of the list', () => (jail ? importAll(jail) : undefined));
  it('decodes Windows-1252', () => (jail ? decodeWindows1252(jail) : undefined));
  it('bounds the output of decompression', () => (jail ? refuseBomb(jail) : undefined));
  it.each(Object.keys(TABLES))('answers as Node does: %s', (topic) => (jail ? compare(jail, topic) : undefined));
});
