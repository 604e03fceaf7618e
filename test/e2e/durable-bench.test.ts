import { expect, test } from 'vitest';
import { measureCrashes } from '../../bench/durable/crashes.mjs';
import { measureReplays } from '../../bench/durable/replays.mjs';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';

const TIMEOUT_MS = 900_000;

test(
  'no execution is lost and no effect doubled when processes are killed and decisions come days later',
  async () => {
    const found = await measureCrashes(temporaryFolder(), { executions: 8, kills: 2 });
    expect(found).toMatchObject({ lost: 0, missing: 0, doubled: 0, otherArguments: 0 });
    expect(found.decisions).toBeGreaterThan(8);
  },
  TIMEOUT_MS,
);

needs('jail', missingSandbox(await probeJail())).it(
  'programs of all kinds replay identically in all sandboxes',
  async () => {
    const found = await measureReplays(temporaryFolder(), { executions: 30 });
    expect(found).toMatchObject({ executions: 30, different: 0, first: undefined });
    expect(Object.keys(found.bySandbox).sort()).toEqual(['jail', 'pyodide', 'quickjs']);
  },
  TIMEOUT_MS,
);
