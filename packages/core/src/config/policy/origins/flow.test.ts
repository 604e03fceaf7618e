import type { Tool } from '@toolwright/connectors';
import type { ProgramFlow } from '@toolwright/sandbox/internal';
import { describe, expect, test } from 'vitest';
import { compileFlow, type ToolNaming } from './flow.ts';
import { decideGuarded, readsByName } from './guarded.ts';
import { openOrigins } from './origins.ts';
import { ownPlaces } from './own.ts';
import { sinksFrom } from './sinks.ts';
import { trustFrom } from './trust.ts';

function toolOf(server: string, name: string): Tool {
  return { id: `${server}__${name}`, server, definition: { name, inputSchema: { type: 'object' } as never } };
}
const send = toolOf('mail', 'send');
const book = toolOf('travel', 'book_hotel');
const find = toolOf('travel', 'find_hotels');
const crm = toolOf('crm', 'get');
const rules = {
  trustOf: trustFrom([{ tools: 'crm__get', trust: 'organisation' }]),
  sinksOf: sinksFrom(),
  own: ownPlaces(),
};
const unnamed: ToolNaming = () => undefined;
const siteOf = (tool: string | undefined, path: string, from: string[], isComputed = false) => ({
  tool,
  leaves: [[path, { from, isComputed }]] as const,
});

/** Decides one call of an own program after answers of two servers. */
async function decide(flow: ProgramFlow, tool: Tool, args: object, source = '') {
  const flowOf = compileFlow(flow, unnamed);
  const origins = openOrigins({
    rules,
    request: 'Do it.',
    source,
    isOwnProgram: true,
    flowOf,
    noteSeen: async () => {},
  });
  await origins.received(1, crm, { login: 'ada' });
  await origins.received(2, find, [{ name: 'Attacker Inn' }]);
  return decideGuarded(tool, false, origins.of(tool, args, args)).action;
}

describe('the flow of a program', () => {
  test('proves an address that is built from trusted data', async () => {
    expect(await decide([siteOf('mail__send', 'to', ['crm__get'], true)], send, { to: 'ada@corp.example' })).toBe(
      'allow',
    );
  });

  test('proves no address that public data can reach', async () => {
    const flow = [siteOf('mail__send', 'to', ['crm__get', 'travel__find_hotels'], true)];
    expect(await decide(flow, send, { to: 'ada@corp.example' })).toBe('ask');
  });

  test('joins all places that may be the call', async () => {
    const flow = [siteOf('mail__send', 'to', ['crm__get'], true), siteOf('mail__other', 'to', ['travel__find_hotels'])];
    expect(await decide(flow, send, { to: 'ada@corp.example' })).toBe('ask');
  });

  test('allows a record that the program selects, and asks about one from a text', async () => {
    const selected = [siteOf('travel__book_hotel', 'hotel', ['travel__find_hotels'])];
    const parsed = [siteOf('travel__book_hotel', 'hotel', ['travel__find_hotels'], true)];
    expect(await decide(selected, book, { hotel: 'Attacker Inn' })).toBe('allow');
    expect(await decide(parsed, book, { hotel: 'Attacker Inn' })).toBe('ask');
  });

  test('asks if data chooses the tool, also about a text of the program and without a target', async () => {
    const flow = [siteOf(undefined, '', ['?'], true)];
    expect(await decide(flow, book, { hotel: 'Luxury Palace' }, `'Luxury Palace'`)).toBe('ask');
    expect(await decide(flow, toolOf('crm', 'add_note'), { text: 'x' })).toBe('ask');
    expect(await decide([siteOf('crm__add_note', 'text', [])], toolOf('crm', 'add_note'), { text: 'x' })).toBe('allow');
  });

  test('asks if the analysis gave up', async () => {
    expect(await decide(undefined, book, { hotel: 'Luxury Palace' }, `'Luxury Palace'`)).toBe('ask');
  });

  test('takes the nearest known path, and members with computed names', () => {
    const leaves = [
      ['to', { from: ['crm__get'], isComputed: false }],
      ['headers.*', { from: ['a__b'], isComputed: false }],
      ['', { from: ['c__d'], isComputed: false }],
    ] as const;
    const flow = compileFlow([{ tool: 'mail__send', leaves }], unnamed)(send);
    const from = (path: string) => flow.leaf(path).from;
    expect([from('to'), from('to[0].x'), from('cc')]).toEqual([['crm__get'], ['crm__get'], ['c__d']]);
    expect(from('headers.x')).toEqual(['c__d', 'a__b']);
  });
});

test.each([
  ['get_all_hotels_in_city', true],
  ['searchMails', true],
  ['check_in_guest', false],
  ['get_or_create_label', false],
  ['list_and_delete', false],
  ['send_mail', false],
])('%s reads by its name: %s', (name, expected) => {
  expect(readsByName(toolOf('s', name))).toBe(expected);
});

test('a hint of the server comes before the name', () => {
  const tool = toolOf('s', 'get_files');
  const definition = { ...tool.definition, annotations: { readOnlyHint: false } };
  expect(readsByName({ ...tool, definition })).toBe(false);
});

test('follows a name that a server gives to another tool during the run', () => {
  let id = 'mail__send';
  const flow = compileFlow([siteOf('mail__sendIt', 'to', [])], () => id);
  expect([flow(send).leaf('to').from, flow(book).isNamed]).toEqual([[], false]);
  id = 'travel__book_hotel';
  expect([flow(send).isNamed, flow(book).isNamed]).toEqual([false, true]);
});
