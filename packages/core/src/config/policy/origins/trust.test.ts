import type { Tool } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { ownPlaces } from './own.ts';
import { trustFrom } from './trust.ts';

function toolOf(name: string, more: object = {}, isQuarantined = false): Tool {
  const [server = ''] = name.split('__');
  return {
    id: name,
    server,
    definition: { name: name.slice(server.length + 2), inputSchema: {}, ...more },
    isQuarantined,
  };
}

it('trusts no answer that the configuration does not name, even if a server claims trust', () => {
  const claims = {
    trust: 'owner',
    _meta: { trust: 'owner' },
    annotations: { readOnlyHint: true, openWorldHint: false, trust: 'owner' },
  };
  expect(trustFrom()(toolOf('crm__find', claims)).label).toBe('public');
});

it('lets a mark of a server leave out its tools that read words of strangers', () => {
  const trust = trustFrom([
    { servers: 'crm', tools: 'crm__read_web', trust: 'owner' },
    { servers: 'crm', trust: 'organisation' },
  ]);
  expect(trust(toolOf('crm__find')).label).toBe('organisation');
  expect(trust(toolOf('crm__listComments')).label).toBe('public');
  expect(trust(toolOf('crm__export', { annotations: { openWorldHint: true } })).label).toBe('public');
  expect(trust(toolOf('crm__read_web')).label).toBe('owner');
  expect(trust(toolOf('crm__find', {}, true)).label).toBe('public');
  expect(trust(toolOf('mail__find')).label).toBe('public');
});

it('takes the first of marks that contradict each other', () => {
  const trust = trustFrom([
    { tools: 'crm__find', trust: 'public' },
    { tools: 'crm__*', trust: 'owner' },
    { tools: 'crm__find', fields: 'note', trust: 'organisation' },
    { tools: 'crm__find', fields: '*', trust: 'owner' },
  ]);
  const find = trust(toolOf('crm__find'));
  expect([find.label, find.ofField('note'), find.ofField('name')]).toEqual(['public', 'organisation', 'owner']);
  expect(trust(toolOf('crm__get')).label).toBe('owner');
});

it('labels fields, and an answer by its lowest part', () => {
  const of = trustFrom([{ tools: 'crm__find', fields: '*.owner', trust: 'organisation' }])(toolOf('crm__find'));
  expect([of.label, of.ofField('items[].owner'), of.ofField('items[].note')]).toEqual([
    'public',
    'organisation',
    'public',
  ]);
});

it('knows places of the operator, and no place that only looks like one', () => {
  const own = ownPlaces({ domains: ['corp.example'], names: ['team-*'], directories: ['/data/out'] });
  const known = ['a@corp.example', 'https://x.corp.example/a', 'team-blue', '/data/out/a.txt'];
  const others = [
    'a@evilcorp.example',
    'https://corp.example@evil.org/',
    'https://evil.org/?x@corp.example',
    'https://evil.org@corp.example',
    'https://corp.example.evil.org/',
    '/data/out/../b',
    '/data/outer/b',
    'b@evil.org,a@corp.example',
  ];
  expect(known.map((value) => own(value) !== undefined)).toEqual(known.map(() => true));
  expect(others.map((value) => own(value))).toEqual(others.map(() => undefined));
});
