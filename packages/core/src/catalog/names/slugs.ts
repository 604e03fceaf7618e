import { groupNames, hashedName } from './hash.ts';

const FILE_NAME = /^[A-Za-z\d](?:[\w-]{0,62}[A-Za-z\d])?$/;
const MAX_SLUG_CHARS = 48;

/**
 * Maps server names to slugs for `./servers/<slug>/index.js`. A plain file name is its own slug. Any other name is cleaned,
 * and gets a short hash where the cleaned form is empty or taken. The result does not depend on the order of `names`.
 */
export function serverSlugs(names: readonly string[]): Map<string, string> {
  const servers = [...new Set(names)].sort();
  const slugs = new Map<string, string>(servers.filter((name) => FILE_NAME.test(name)).map((name) => [name, name]));
  const taken = new Set(slugs.values());
  const rest = groupNames(
    servers.filter((name) => !slugs.has(name)),
    cleanName,
  );
  for (const [base, group] of rest) {
    for (const name of group) {
      const isFree = base !== '' && group.length === 1 && !taken.has(base);
      const slug = isFree ? base : hashedName(base === '' ? 'server' : base, '-', name, taken);
      slugs.set(name, slug);
      taken.add(slug);
    }
  }
  return slugs;
}

function cleanName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w-]+/g, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^[_-]+|[_-]+$/g, '');
}
