import type { Part } from './row.ts';

/** Returns the page: the rows that differ, and the number of the others. */
export function tableOf(parts: readonly Part[]): string {
  const rows = parts.flatMap((part) => part.rows);
  const differing = rows.filter(({ differs }) => differs !== undefined).length;
  const sections = parts.map(({ title, rows: all }) => {
    const lines = all.flatMap(({ item, differs }) => (differs === undefined ? [] : [`- ${item}. ${differs}`]));
    return [`## ${title}`, '', `${all.length - lines.length} of ${all.length} items work.`, '', ...lines]
      .join('\n')
      .trim();
  });
  return `# Compatibility

For people who know another system with code execution. Five documents describe such systems. Of their ${rows.length} programs, requests, tool calls,
settings, commands and properties, ${rows.length - differing} work as written there. This page lists the ${differing} that differ on purpose, with what to use instead.
\`test/reference/rows\` has all items. \`npm run test:reference\` runs them on real servers, and writes this page.

${sections.join('\n\n')}
`;
}
