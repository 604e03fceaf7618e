import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrowdedServer, sandboxesOf, startCrowded, unexplained } from '../soak/crowd.ts';

const PROGRAMS = 60;
let server: CrowdedServer;
beforeAll(async () => {
  server = await startCrowded(256);
});
afterAll(() => server?.close());

test.runIf(process.platform === 'linux')(
  'a server with few file descriptors answers every request, and recovers without a restart',
  async () => {
    const [usual] = [sandboxesOf(await server.run(PROGRAMS))];
    const idle = await server.connectIdle(100);
    const answers = await server.run(PROGRAMS);
    expect(unexplained(answers)).toEqual([]);
    for (const socket of idle) socket.destroy();
    const later = await server.run(10);
    expect(later.filter(({ status }) => status !== 200)).toEqual([]);
    expect(sandboxesOf([...answers, ...later])).toEqual(usual);
    expect([server.hasEnded(), await server.close()]).toEqual([false, 0]);
  },
);
