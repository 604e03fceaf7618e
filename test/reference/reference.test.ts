import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Machine, openMachine } from './machine.ts';
import type { Part } from './row.ts';
import { CONFIGURATION } from './rows/configuration.ts';
import { FEATURES } from './rows/features.ts';
import { LIBRARY } from './rows/library.ts';
import { MCP_TOOLS } from './rows/mcp-tools.ts';
import { PROGRAMS } from './rows/programs.ts';
import { PYTHON } from './rows/python.ts';
import { REPOSITORY } from './rows/repository.ts';
import { REQUESTS } from './rows/requests.ts';
import { SECURITY } from './rows/security.ts';
import { tableOf } from './table.ts';

const PARTS: readonly Part[] = [
  PROGRAMS,
  PYTHON,
  MCP_TOOLS,
  REQUESTS,
  CONFIGURATION,
  LIBRARY,
  FEATURES,
  SECURITY,
  REPOSITORY,
];

let machine: Machine;
beforeAll(async () => {
  machine = await openMachine();
});
afterAll(() => machine.close());

describe.each(PARTS)('$title', ({ rows }) => {
  test.each(rows)('$item', ({ check }) => check(machine));
});

// `npm run test:reference -- -u` writes the page.
test('docs/compatibility.md has these rows', async () => {
  await expect(tableOf(PARTS)).toMatchFileSnapshot('../../docs/compatibility.md');
});
