import type { Part } from './row.ts';

const INTRODUCTION = `# Compatibility

For people who know another system with code execution. Look for its program, request, tool call, setting, command or property. It works as
written there, unless its row has *differs*, with what to use instead. \`npm run test:reference\` runs every row on real servers, and writes this page.
`;

/** Returns the page of all rows. */
export function tableOf(parts: readonly Part[]): string {
  const all = parts.flatMap(({ rows }) => rows);
  const differing = all.filter(({ differs }) => differs !== undefined).length;
  const sections = parts.map(({ title, rows }) => {
    const lines = rows.map(({ item, differs }) =>
      differs === undefined
        ? `- ${item}`
        : `- ${item}: *differs*. ${differs.charAt(0).toUpperCase()}${differs.slice(1)}`,
    );
    return [`## ${title}`, '', ...lines].join('\n');
  });
  return [
    INTRODUCTION,
    `${all.length} rows: ${all.length - differing} work, ${differing} differ.`,
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}
