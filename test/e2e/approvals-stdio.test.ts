import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { linesOf } from '../fixtures/contents.ts';
import { type Connected, connectClient, type FormReply, textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { fixturePath } from '../fixtures/server.ts';

const open: Connected[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

/** Opens a folder with a server whose tool appends lines to a file, after an approval. */
function openShop() {
  const desk: Desk = openDesk();
  const file = join(desk.folder, 'effects.txt');
  desk.write('toolwright.json', {
    mcpServers: { bank: { command: process.execPath, args: [fixturePath('effects.mjs'), file, '0'] } },
    policy: { preset: 'careful' },
    waits: { graceMs: 0 },
    sandbox: 'quickjs',
  });
  const effects = () => linesOf(file);
  return { desk, effects };
}

describe.each(['legacy', 'modern'] as const)('the user of `toolwright mcp` with a client of the %s era', (era) => {
  const run = async (desk: Desk, code: string, reply?: (message: string) => FormReply) => {
    const connected = await connectClient(desk, { transport: 'stdio', era }, [], reply);
    open.push(connected);
    return connected.client.callTool({ name: 'execute_code', arguments: { code, check: false }, ...WITH_DATA });
  };
  const append = (line: string) =>
    `return (await callMCPTool('bank__append', { line: '${line}' }).catch(({ code }) => code))`;

  it('approves and denies calls in forms of the client', async () => {
    const { desk, effects } = openShop();
    const shown: string[] = [];
    const approved = await run(desk, append('one'), (message) => {
      shown.push(message);
      return { action: 'accept', content: { decision: 'approve' } };
    });
    expect(approved.isError).not.toBe(true);
    expect(shown).toEqual([expect.stringContaining('{"line":"one"}')]);
    const denied = await run(desk, append('two'), () => ({ action: 'decline' }));
    expect(denied.structuredContent).toEqual({ value: 'APPROVAL_DENIED' });
    expect(effects()).toEqual(['one']);
  });

  it('without forms decides at the command line, and the model reads the value then', async () => {
    const { desk, effects } = openShop();
    const waiting = await run(desk, append('one'));
    const { status, executionId = '' } = waiting.structuredContent as Record<string, string>;
    expect([status, textOf(waiting)]).toEqual([
      'suspended',
      expect.stringContaining(`executions approve ${executionId}`),
    ]);
    expect(effects()).toEqual([]);
    expect((await desk.run(['executions', 'approve', executionId])).code).toBe(0);
    // The running server continues it.
    const value = await run(
      desk,
      `
for (let tries = 0; ; tries++) {
  try { return await execution('${executionId}') } catch (error) { if (tries > 100) throw error; await sleep(200) }
}`,
    );
    expect(value.isError).not.toBe(true);
    expect(effects()).toEqual(['one']);
  });
});
