import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrowdedServer, sandboxesOf, startCrowded, unexplained } from '../crowd.ts';
import { atMost, finish, shown } from '../report.ts';

const LIMIT = 1_024;
const IDLE = 860;
const PROGRAMS = 60;
/** Programs that run when the connections are closed. Their guests stay for the next ones. */
const AFTER = 20;
const PART_MS = 300_000;

let server: CrowdedServer;
beforeAll(async () => {
  server = await startCrowded(LIMIT);
});
afterAll(() => server?.close());

test.runIf(process.platform === 'linux')(
  `EMFILE at ${LIMIT} descriptors with ${IDLE} connections and ${PROGRAMS} programs`,
  { timeout: PART_MS },
  async () => {
    const usual = await server.run(AFTER);
    const before = server.descriptors();
    const idle = await server.connectIdle(IDLE);
    const answers = await server.run(PROGRAMS);
    for (const socket of idle) socket.destroy();
    const later = await server.run(AFTER);
    await expect.poll(() => server.descriptors(), { timeout: PART_MS / 2 }).toBeLessThanOrEqual(before);
    finish(`${LIMIT} descriptors, ${IDLE} connections, ${PROGRAMS} programs`, [
      shown('results', answers.filter(({ status }) => status === 200).length),
      shown('refusals with a reason', answers.filter(({ status }) => status === 503).length),
      atMost('other answers', unexplained(answers).length, 0),
      atMost('refusals after it', later.filter(({ status }) => status !== 200).length, 0),
      atMost('descriptors after it', server.descriptors(), before),
      atMost('ends of the process', server.hasEnded() ? 1 : 0, 0),
    ]);
    expect(sandboxesOf([...answers, ...later])).toEqual(sandboxesOf(usual));
  },
);
