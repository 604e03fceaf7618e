import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../packages/connectors/src/tools/tool.ts';
import { isHeldFor, scanDefinition } from '../../packages/core/src/catalog/poisoning/scan.ts';
import { catalogNames, readCatalog } from '../catalogs.ts';
import { needsData } from '../data.ts';
import { GENERATED } from './generated.ts';
import { WRITTEN } from './written.ts';

/** Poisoned definitions that no rule finds. */
const MISSED = ['plan', 'http_get', 'dict', 'notes', 'photo', 'fetch_page'];

const missed = (definitions: readonly ToolDefinition[]) =>
  definitions.filter((definition) => !isHeldFor(scanDefinition(definition))).map(({ name }) => name);

it('holds the poisoned definitions, in every form and at every place', () => {
  expect(WRITTEN.length + GENERATED.length).toBeGreaterThanOrEqual(200);
  expect(missed(GENERATED)).toEqual([]);
  expect(missed(WRITTEN).sort()).toEqual([...MISSED].sort());
});

/** Returns for each tool of these servers whether it is held, in a catalog of all servers. */
function heldOf(isWanted: (server: string) => boolean): boolean[] {
  const servers = catalogNames().flatMap(readCatalog);
  const owners = new Map<string, Set<string>>();
  for (const { server, tools } of servers) {
    for (const { definition } of tools)
      owners.set(definition.name, (owners.get(definition.name) ?? new Set()).add(server));
  }
  return servers
    .filter(({ server }) => isWanted(server))
    .flatMap(({ server, tools }) => {
      const own = new Set(tools.map(({ definition }) => definition.name));
      const isForeign = (name: string) => [...(owners.get(name) ?? [])].some((owner) => owner !== server);
      return tools.map(({ definition }) => isHeldFor(scanDefinition(definition, { own, isForeign })));
    });
}

/** A quarter of the servers. The rules were written with the definitions of the others. */
const isHeldOut = (server: string) => (createHash('sha256').update(server).digest()[0] ?? 0) % 4 === 3;

for (const [title, isWanted] of [
  ['of the servers that the rules were written with', (server: string) => !isHeldOut(server)],
  ['of other servers', isHeldOut],
] as const) {
  needsData.it(`holds at most 1 % of the real tools ${title}`, () => {
    const tools = heldOf(isWanted);
    const held = tools.filter(Boolean).length;
    expect(tools.length).toBeGreaterThan(1_000);
    expect(held / tools.length, `${held} of ${tools.length}`).toBeLessThanOrEqual(0.01);
  });
}
