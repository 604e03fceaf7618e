import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withSettingsTable } from '../scripts/settings-table.mjs';

test('the table of settings in docs/configuration.md matches the schema', () => {
  const page = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toBe(withSettingsTable(page));
  expect(page).toContain('| `limits.memoryBytes` | `TOOLWRIGHT_MEMORY_MB` |');
});
