// Writes the table of settings in docs/configuration.md from the schema of the configuration: node scripts/settings-table.mjs
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultOf, settingsOf, settingsSchema } from '@toolwright/core/internal';

const PAGE = new URL('../docs/configuration.md', import.meta.url);
const MARKERS = /(<!-- settings:start -->\n)[\s\S]*(<!-- settings:end -->)/;

/** Returns the page with the table of all settings between its markers. */
export function withSettingsTable(page) {
  return page.replace(MARKERS, (_all, start, end) => `${start}${settingsTable()}\n${end}`);
}

function settingsTable() {
  const rows = settingsOf(settingsSchema).map(({ path, env, description, schema, defaultText }) => {
    const variable = env === undefined ? '' : `\`${env}\``;
    return `| \`${path}\` | ${variable} | ${description} | ${defaultText ?? textOf(defaultOf(schema))} |`;
  });
  return ['| key | environment | meaning | default |', '|---|---|---|---|', ...rows].join('\n');
}

function textOf(value) {
  if (value === undefined) return '';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (Array.isArray(value)) return value.map((item) => `\`${item}\``).join(', ') || 'none';
  return `\`${value}\``;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, withSettingsTable(readFileSync(PAGE, 'utf8')));
}
