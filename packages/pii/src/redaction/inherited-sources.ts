import { mapInSlices } from '../slices.ts';
import { sourcesOf } from '../vault/records/record.ts';
import type { FoundValue, Vault } from '../vault/vault.ts';
import type { KnownValueRedactor } from './known-value-redactor.ts';

/**
 * Returns a function that finds the servers of known values inside of new ones. A server that returns a received value in a longer or
 * another form does not become the source of that value.
 */
export function inheritedSources(
  vault: Vault,
  knownValueRedactor: KnownValueRedactor,
): (values: readonly FoundValue[]) => Promise<ReadonlyMap<string, readonly FoundValue[]>> {
  return async (values) => {
    const names = await knownValueRedactor.namesIn(values.map(({ text }) => text));
    const known = await vault.find([...new Set(names.flatMap((some) => [...some]))]);
    const bySource = new Map<string, FoundValue[]>();
    await mapInSlices(values, (value, index) => {
      const sources = [...(names[index] ?? [])].flatMap((name) => [...sourcesOf(known.get(name))]);
      for (const source of new Set(sources)) {
        const list = bySource.get(source) ?? [];
        bySource.set(source, list);
        list.push(value);
      }
    });
    return bySource;
  };
}
