import type { Tool } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { sinksFrom } from '../../config/policy/origins/sinks.ts';
import { areWithin, scopeOf } from './call-scope.ts';

const properties = {
  to: { type: 'array', items: { type: 'string' } },
  amount: { type: 'number' },
  note: { type: 'string' },
  role: { enum: ['reader', 'owner'] },
  isPublic: { type: 'boolean' },
};
const tool: Tool = {
  id: 'bank__pay',
  server: 'bank',
  definition: { name: 'pay', inputSchema: { type: 'object', properties } },
};
const first = { to: ['a@b.example', 'c@b.example'], amount: 40, note: 'rent', role: 'reader', isPublic: false };
const of = (args: object) => scopeOf(tool, args, { sinks: sinksFrom()(tool), origins: undefined });

/** Returns whether a permission for the first call holds for another one. */
function isCovered(args: object): boolean {
  const [given, call] = [of(first), of(args)];
  if (!given || !call) return false;
  return JSON.stringify(given.fixed) === JSON.stringify(call.fixed) && areWithin(call.amounts, given.amounts);
}

it.each([
  [{}, true],
  [{ note: 'other' }, true],
  [{ amount: 39.5 }, true],
  [{ to: [...first.to].reverse() }, true],
  [{ amount: undefined }, true],
  [{ amount: 41 }, false],
  [{ amount: -1 }, false],
  [{ amount: '40' }, false],
  [{ to: ['a@b.example'] }, false],
  [{ to: [...first.to, 'eve@b.example'] }, false],
  [{ to: [{ 'a@b.example': 'c@b.example' }] }, false],
  [{ role: 'owner' }, false],
  [{ isPublic: true }, false],
  [{ cc: 'x' }, false],
  [{ more: { 'eve@b.example': true } }, false],
  [{ more: { 'eve@b.example': null } }, false],
])('a permission for its targets covers a call with %j: %s', (change, expected) => {
  expect(isCovered({ ...first, ...change })).toBe(expected);
});

it('has no scope for a call without a target, nor for one with too many values', () => {
  expect([of({ note: 'x', amount: 1 }), of({ ...first, to: Array.from({ length: 20_001 }, String) })]).toEqual([
    undefined,
    undefined,
  ]);
});

it('has the private data that the call sends outside of its readers', () => {
  const value = { path: 'note' } as never;
  const origins = { leaks: () => [{ value, source: { id: 'hr__list', server: 'hr' } }] } as never;
  const sent = scopeOf(tool, first, { sinks: sinksFrom()(tool), origins });
  expect(sent?.fixed).toEqual([...(of(first)?.fixed ?? []), '{"private":"hr__list"}'].sort());
});
