import process from '/skills/data-processor/index.js';

/** Returns counts of the graph, its types, and the `most` linked names. */
export default async function report({ most = 5 }: { most?: number } = {}) {
  const { entities, relations } = await servers.memory.readGraph({});
  const ends = relations.flatMap(({ from, to }) => [{ name: from }, { name: to }]);
  return {
    entities: entities.length,
    relations: relations.length,
    types: process({ rows: entities.map(({ entityType }) => ({ entityType })), groupBy: 'entityType' }),
    linked: process({ rows: ends, groupBy: 'name' }).slice(0, most),
  };
}
