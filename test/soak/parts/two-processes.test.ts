import { readFileSync } from 'node:fs';
import { afterEach, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import { createLedger } from '../ledger.ts';
import { atMost, finish, shown } from '../report.ts';
import { crashAndRepeat } from '../restart.ts';
import { startService } from '../served.ts';

const LONG_SECONDS = 600;
const SEED = Number(process.env.TOOLWRIGHT_SOAK_SEED ?? 1);
const CRASHES = Number(process.env.TOOLWRIGHT_SOAK_SECONDS ?? LONG_SECONDS) >= LONG_SECONDS ? 20 : 4;
const USERS = 4;
const PART_MS = 1_800_000;
const LOG_CHARACTERS = 5_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('two processes on one data folder survive kill -9 by turns, and no effect is doubled', {
  timeout: PART_MS,
}, async () => {
  const service = await startService(USERS);
  closing.push(service.close);
  const both = [service, await service.another()] as const;
  const random = createRandom(SEED);
  const tally = new Map<string, number>();
  const ledger = createLedger(service.effects);
  for (let crash = 0; crash < CRASHES; crash++) {
    const place = {
      users: service.users,
      // Each request goes to one of the two, also when it is repeated.
      get url() {
        return random.pick(both).url;
      },
      crash: () => both[crash % 2 === 0 ? 0 : 1].crash(),
    };
    await crashAndRepeat(place, ledger, random, tally);
  }
  const { acknowledged, lost, doubled } = await ledger.balance();
  const figures = [
    ...[...tally].map(([name, count]) => shown(name, count)),
    shown('acknowledged effects and answers', acknowledged),
    atMost('lost', lost.length, 0),
    atMost('doubled effects', doubled.length, 0),
    atMost('requests without a definite answer', tally.get('no definite answer') ?? 0, 0),
  ];
  finish(`Two processes on one data folder, seed ${SEED}`, figures, () => {
    const log = readFileSync(service.log, 'utf8').slice(-LOG_CHARACTERS);
    return `${JSON.stringify({ lost: lost.slice(0, 20), doubled: doubled.slice(0, 20) })}\n${log}`;
  });
});
