interface Fact {
  about: string;
  type: string;
  fact: string;
}

/** Stores facts. Returns the number of new entities and of new facts. */
export default async function remember({
  facts,
}: {
  facts: readonly Fact[];
}): Promise<{ entities: number; facts: number }> {
  const { entities } = await servers.memory.openNodes({ names: [...new Set(facts.map(({ about }) => about))] });
  const known = new Map(entities.map(({ name, observations }) => [name, new Set(observations)]));
  const created = new Map(facts.filter(({ about }) => !known.has(about)).map(({ about, type }) => [about, type]));
  if (created.size > 0) {
    const drafts = [...created].map(([name, entityType]) => ({ name, entityType, observations: [] }));
    await servers.memory.createEntities({ entities: drafts });
  }
  const observations = [...new Set(facts.map(({ about }) => about))]
    .map((entityName) => ({ entityName, contents: newFacts(facts, entityName, known.get(entityName)) }))
    .filter(({ contents }) => contents.length > 0);
  if (observations.length > 0) await servers.memory.addObservations({ observations });
  return { entities: created.size, facts: observations.reduce((sum, { contents }) => sum + contents.length, 0) };
}

function newFacts(facts: readonly Fact[], name: string, known: ReadonlySet<string> = new Set()): string[] {
  const own = facts.filter(({ about }) => about === name).map(({ fact }) => fact);
  return [...new Set(own)].filter((fact) => !known.has(fact));
}
