import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { catalogNames, readCatalog } from '../../../../../../test/catalogs.ts';
import { needsData } from '../../../../../../test/data.ts';
import type { SinkKind } from '../schema.ts';
import { isTarget } from './guarded.ts';
import { sinksFrom } from './sinks.ts';

/** Parameters of real tools with the kind that a reader of their descriptions gave them. The names are in the development catalogs. */
const LABELS = new URL('../../../../../../test/fixtures/sink-labels.tsv', import.meta.url);
/** Everything that decides nothing has one kind here: a limit and a search text are the same for the policy. */
const decisive = (kind: SinkKind) => (isTarget({ kind }) ? kind : 'none');

needsData.it('finds the kind of target of 95 % of the labelled parameters of real tools', () => {
  const tools = new Map(
    catalogNames().flatMap((catalog) =>
      readCatalog(catalog).flatMap(({ server, tools: all }) =>
        all.map((tool) => [[catalog, server, tool.definition.name].join('\t'), tool] as const),
      ),
    ),
  );
  const sinksOf = sinksFrom();
  const counts = new Map<string, { all: number; right: number }>();
  for (const line of readFileSync(LABELS, 'utf8').trim().split('\n')) {
    const [sample = '', kind, catalog, server, name, path = ''] = line.split('\t');
    const tool = tools.get([catalog, server, name].join('\t'));
    if (tool === undefined) throw new Error(`The catalogs have no ${server}__${name}`);
    const count = counts.get(sample) ?? { all: 0, right: 0 };
    const isRight = decisive(sinksOf(tool)(path.split('.'))) === decisive(kind as SinkKind);
    counts.set(sample, { all: count.all + 1, right: count.right + (isRight ? 1 : 0) });
  }
  const shares = [...counts].map(([sample, { all, right }]) => ({ sample, all, isEnough: right / all >= 0.95 }));
  expect(shares).toEqual([
    { sample: 'later', all: 300, isEnough: true },
    { sample: 'tuned', all: 1_000, isEnough: true },
  ]);
});
