type City = 'New York' | 'Chicago' | 'Los Angeles';

/** Returns the cities with their weather, the warmest first. */
export default async function compare({ cities }: { cities: readonly City[] }) {
  const found = await Promise.all(
    cities.map(async (location) => ({ location, ...(await servers.everything.getStructuredContent({ location })) })),
  );
  return found.sort((a, b) => b.temperature - a.temperature);
}
