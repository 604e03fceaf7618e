import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSkillStore } from '../../packages/core/src/skills/store.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { startScript } from '../fixtures/scripts.ts';

const STORE = new URL('../../packages/core/build/skills/store.js', import.meta.url).href;
const KILLS = 15;
const SCRIPT = `
import { openSkillStore } from ${JSON.stringify(STORE)};
const store = openSkillStore(process.argv[1]);
for (let count = Number(process.argv[2]); ; count++) {
  const bytes = Buffer.from(String(count));
  await store.put('a', ['SKILL.md', 'index.ts', 'references/more.md'].map((path) => ({ path, bytes, text: String(count) })));
  process.stdout.write(count + '\\n');
}`;

test('a process killed during a save leaves the old or the new skill, and loses no acknowledged one', async () => {
  const home = temporaryFolder();
  let reported = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startScript(SCRIPT, home, String(reported + 1));
    child.stdout?.on('data', (data: Buffer) => {
      reported = Number(data.toString().trim().split('\n').at(-1));
    });
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    await sleep(Math.random() * 60);
    child.kill('SIGKILL');
    await once(child, 'close');

    const store = openSkillStore(home);
    const content = await store.read('a');
    const texts = content?.files.map(({ text }) => Number(text)) ?? [];
    expect([texts.length, new Set(texts).size]).toEqual([3, 1]);
    expect(texts[0]).toBeGreaterThanOrEqual(reported);
    const [newest] = await store.versions('a');
    const kept = await store.readVersion('a', newest?.version ?? 0);
    expect(Number(kept?.[0]?.text)).toBeGreaterThanOrEqual(reported);
    expect(await store.names()).toEqual(['a']);
  }
});
