import { DOCUMENTS, type Part } from './row.ts';

const INTRODUCTION = `# Compatibility

For people who know another system with code execution. Five documents describe such systems: this page lists each program, request,
tool call, setting, command and property in them. \`npm run test:reference\` runs every row on real servers, and writes this page.

- *works*: it runs as it is written there.
- *differs*: on purpose. The row has the reason, and what to use instead.
`;

/** Returns the page of all rows. */
export function tableOf(parts: readonly Part[]): string {
  const all = parts.flatMap(({ rows }) => rows);
  const differing = all.filter(({ differs }) => differs !== undefined).length;
  const letters = Object.entries(DOCUMENTS).map(([letter, title]) => `| ${letter} | ${title} |`);
  const sections = parts.map(({ title, rows }) => {
    const lines = rows.map(
      ({ item, from, differs }) =>
        `| ${cell(item)} | ${[...from].join(' ')} | ${differs === undefined ? 'works' : `differs: ${cell(differs)}`} |`,
    );
    return [`## ${title}`, '', '| item | from | result |', '|---|---|---|', ...lines].join('\n');
  });
  return [
    INTRODUCTION,
    `${all.length} rows: ${all.length - differing} work, ${differing} differ.`,
    '',
    ['| letter | document |', '|---|---|', ...letters].join('\n'),
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
