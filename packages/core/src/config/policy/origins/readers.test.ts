import type { Tool } from '@toolwright/connectors';
import type { LeafFlow } from '@toolwright/sandbox/internal';
import { describe, expect, it } from 'vitest';
import { partial } from '../../../../../../test/fixtures/partial.ts';
import { policySchema } from '../schema.ts';
import { compileCarries } from './from.ts';
import { decideGuarded } from './guarded.ts';
import { openOrigins } from './origins.ts';
import { ownPlaces } from './own.ts';
import { readersFrom } from './readers.ts';
import { sinksFrom } from './sinks.ts';
import { trustFrom } from './trust.ts';
import { shownOrigins } from './words.ts';

function toolOf(id: string, names: readonly string[]): Tool {
  const [server = '', name = ''] = id.split('__');
  const properties = Object.fromEntries(names.map((each) => [each, {}]));
  return { id, server, definition: { name, inputSchema: { type: 'object', properties } as never } };
}
const pay = toolOf('hr__get_pay', []);
const crm = toolOf('crm__find', []);
const send = toolOf('mail__send', ['to', 'body']);
const post = toolOf('web__post', ['url', 'text']);
const flows = (leaves: Readonly<Record<string, LeafFlow>>) => () => ({
  isNamed: true,
  leaf: (path: string) => leaves[path] ?? { from: ['?'], isComputed: true },
});
const from = (...tools: string[]): LeafFlow => ({ from: tools, isComputed: true });

/** Opens an execution that received private data of `hr` and open data of `crm`. */
async function open(policy: object, more: Partial<Parameters<typeof openOrigins>[0]> = {}) {
  const config = policySchema.parse({ preset: 'guarded', ...policy });
  const noted: string[] = [];
  const rules = {
    trustOf: trustFrom([{ servers: '*', trust: 'organisation' }]),
    sinksOf: sinksFrom(),
    own: ownPlaces(config.own),
    readers: readersFrom(config),
  };
  const origins = openOrigins({
    rules,
    request: 'Write to ada@corp.example and bob@other.example.',
    source: `'ada@corp.example' 'bob@other.example' 'hello'`,
    isOwnProgram: true,
    noteSeen: async () => {},
    noteSource: async ({ id }) => void noted.push(id),
    ...more,
  });
  await origins.received(1, pay, { name: 'Ada Lovelace', salary: '91,000 EUR' });
  await origins.received(2, crm, { city: 'London', name: 'Ada Lovelace' });
  return { origins, noted };
}
const HR = { readers: [{ servers: 'hr', readers: ['mail'], receivers: ['*@corp.example'] }] };

describe('private data', () => {
  const decide = async (policy: object, tool: Tool, args: object, leaves?: Readonly<Record<string, LeafFlow>>) => {
    const { origins } = await open(policy, leaves && { flowOf: flows(leaves) });
    const of = origins.of(tool, args, args);
    const decision = decideGuarded(tool, false, of);
    return decision.action === 'ask' ? decision.reason() : 'allow';
  };
  const body = { body: from('hr__get_pay'), to: from() };

  it('goes to its receivers through its readers', async () => {
    expect(await decide(HR, send, { to: 'ada@corp.example', body: 'x' }, body)).toBe('allow');
  });

  it('is held for a receiver that the request names but the list does not', async () => {
    const args = { to: 'bob@other.example', body: 'x' };
    expect(await decide(HR, send, args, body)).toBe(
      '"body" may have private data of hr__get_pay, and "to" is no receiver of it',
    );
    const asked = { readers: [{ servers: 'hr', readers: ['mail'], receivers: ['request'] }] };
    expect(await decide(asked, send, args, body)).toBe('allow');
  });

  it('is held for a tool that is no reader', async () => {
    const args = { url: 'https://corp.example/x', text: 'x' };
    const leaves = { url: from(), text: from('hr__get_pay') };
    const own = { ...HR, own: { domains: ['corp.example'] } };
    expect(await decide(own, post, args, leaves)).toContain('this tool is no reader');
    expect(await decide(own, post, args, { ...leaves, text: from('crm__find') })).toBe('allow');
  });

  it('is everything that the program computes where its text shows no flow', async () => {
    expect(await decide(HR, send, { to: 'bob@other.example', body: '000.19' })).toContain('"body" may have');
    expect(await decide(HR, send, { to: 'bob@other.example', body: 'bob@other.example' })).toBe('allow');
  });

  it('is in the name of a property that no schema has', async () => {
    const args = { to: 'bob@other.example', '91,000 EUR': 'bob@other.example' };
    expect(await decide(HR, send, args)).toContain('private data of hr__get_pay');
  });

  it('may be some fields only', async () => {
    const fields = { readers: [{ ...HR.readers[0], fields: 'salary' }] };
    const selected = (...tools: string[]) => ({ to: from(), body: { from: tools, isComputed: false } });
    const to = 'bob@other.example';
    expect(await decide(fields, send, { to, body: 'Ada Lovelace' }, selected('hr__get_pay'))).toBe('allow');
    expect(await decide(fields, send, { to, body: '91,000 EUR' }, selected('hr__get_pay'))).toContain('private');
    expect(await decide(fields, send, { to, body: 'Ada' }, body)).toContain('private');
  });

  it('is the data that the author of the program saw before', async () => {
    const byAuthor = [{ id: 'hr__get_pay', server: 'hr' }];
    const literal = { flowOf: flows({ to: from(), body: from() }) };
    const decideText = async (text: string, seen = { byAuthor, byUser: byAuthor }) => {
      const { origins } = await open(HR, { ...literal, seen });
      const args = { to: 'bob@other.example', body: text };
      return decideGuarded(send, false, origins.of(send, args, args)).action;
    };
    expect([await decideText('hello'), await decideText('ada@corp.example')]).toEqual(['ask', 'allow']);
    expect(await decideText('hello', { byAuthor: [], byUser: byAuthor })).toBe('allow');
  });

  it('of other sessions counts once the program reads them, and is noted once', async () => {
    const byUser = [{ id: 'hr__get_pay', server: 'hr' }];
    const { origins, noted } = await open(HR, {
      flowOf: flows({ to: from(), body: from() }),
      seen: { byAuthor: [], byUser },
    });
    const args = { to: 'bob@other.example', body: 'hello' };
    const leaks = () => origins.of(send, args, args).leaks().length;
    expect([leaks(), await origins.readOther(), leaks(), noted]).toEqual([0, undefined, 1, ['hr__get_pay']]);
  });

  it('shows in the words for people', async () => {
    const { origins } = await open(HR, { flowOf: flows(body) });
    const args = { to: 'bob@other.example', body: 'x' };
    expect(shownOrigins(origins.of(send, args, args))[0]).toMatchObject({
      argument: 'body',
      isSuspicious: true,
      from: expect.stringContaining('private data of hr__get_pay, and "to" is no receiver of it'),
    });
  });
});

describe('receivers', () => {
  const readers = readersFrom(partial({ ...HR, rules: [] }));
  const isReceiver = (address: string) => readers?.isReceiver({ id: 'hr__get_pay', server: 'hr' }, address, false);

  it.each(['ada@corp.example', 'Ada@Corp.Example'])('knows %s', (address) => {
    expect(isReceiver(address)).toBe(true);
  });

  it.each([
    'eve@evil.example, ada@corp.example',
    '"ada@corp.example" <eve@evil.example>',
    'https://evil.example/?x@corp.example',
    'https://x@corp.example',
    'mailto:eve@evil.example?cc=ada@corp.example',
    'eve@evil.example\nada@corp.example',
  ])('does not take %s for one of them', (address) => {
    expect(isReceiver(address)).toBe(false);
  });

  it('compares the host of an address only', () => {
    const hosts = readersFrom(partial({ readers: [{ servers: 'hr', receivers: ['*corp.example'] }], rules: [] }));
    const of = (address: string) => hosts?.isReceiver({ id: 'hr__x', server: 'hr' }, address, false);
    expect([of('https://a.corp.example/x'), of('https://evil.example/corp.example')]).toEqual([true, false]);
  });
});

describe('`carries` of a rule', () => {
  const rule = (carries: string[]) => ({ servers: 'web', carries, action: 'deny' });

  it('applies to data of a tool, also without readers', async () => {
    const { origins } = await open({ rules: [rule(['hr'])] }, { flowOf: flows({ text: from('hr__get_pay') }) });
    const args = { text: 'x' };
    const of = origins.of(post, args, args);
    expect([compileCarries(['hr'])(of), compileCarries(['crm'])(of), compileCarries(['private'])(of)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(compileCarries(['crm'])(undefined)).toBe(true);
  });

  it('is an error in a rule that allows', () => {
    const parse = () => policySchema.parse({ rules: [{ ...rule(['hr']), action: 'allow' }] });
    expect(parse).toThrow('only rules that ask or deny have it');
  });
});
