import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { type Connected, connectClient, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { fixture, until } from '../fixtures/server.ts';

const NOTES = 'toolwright://resources/docs/docs%3A%2F%2Fnotes';
const open: Connected[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

describe.each(['legacy', 'modern'] as const)('`toolwright mcp` with a client of the %s era', (era) => {
  it('reports updates of resources, and uses a changed configuration while a program runs', async () => {
    const desk = openDesk({ docs: fixture('documents') });
    const connected = await connectClient(desk, { transport: 'stdio', era });
    open.push(connected);
    const { client } = connected;
    const run = async (code: string) => {
      const asked = { name: 'execute_code', arguments: { code, check: false }, ...WITH_DATA };
      return (await client.callTool(asked, { timeout: 120_000 })).structuredContent;
    };
    const seen: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params.uri));
    client.setNotificationHandler('notifications/resources/list_changed', () => void seen.push('resources'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => void seen.push('prompts'));
    if (era === 'legacy') await client.subscribeResource({ uri: NOTES });
    else {
      const lists = { resourcesListChanged: true, promptsListChanged: true };
      await client.listen({ resourceSubscriptions: [NOTES], ...lists });
    }
    await until(async () => {
      await run(`return callMCPTool('docs__touch', {})`);
      return seen.includes(NOTES);
    });

    // The program started before the configuration had the server that it calls.
    const running = run(`
      for (;;) {
        try { return await callMCPTool('later__link', {}, { raw: true }) }
        catch (error) { if (!/UNKNOWN/.test(error.code)) throw error; await sleep(100) }
      }`);
    await sleep(500);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['docs__review']);
    seen.length = 0;
    desk.write('toolwright.json', { mcpServers: { docs: fixture('documents'), later: fixture('documents') } });
    const value = { content: [{ type: 'resource_link', uri: 'users://ada/profile', name: 'Ada' }] };
    expect(await running).toMatchObject({ value });
    await until(() => seen.includes('resources') && seen.includes('prompts'));
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['docs__review', 'later__review']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(NOTES.replace('docs/', 'later/'));
  });
});
