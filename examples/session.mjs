// Keeps files of a session for its next execution. Other sessions cannot read them.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

const state = await mkdtemp(join(tmpdir(), 'toolwright-example-'));
const toolwright = await createToolwright({ dataDir: state });
try {
  const ada = await toolwright.sessions.create();
  const bob = await toolwright.sessions.create();
  await toolwright.execute("await fs.writeFile('/workspace/found.json', JSON.stringify([1, 2, 3]));", {
    sessionId: ada.id,
  });
  const next = await toolwright.execute("return JSON.parse(await fs.readFile('/workspace/found.json')).length;", {
    sessionId: ada.id,
  });
  assert.equal(next.value, 3);
  const other = await toolwright.execute("return fs.exists('/workspace/found.json');", { sessionId: bob.id });
  assert.equal(other.value, false);
  console.log('ada finds', next.value, 'items; bob finds none');

  // A result that is too large for a model becomes a preview and a file of the session.
  const large = await toolwright.execute('return Array.from({ length: 50_000 }, (_, id) => ({ id }));', {
    sessionId: ada.id,
  });
  assert.ok(large.file.bytes > 500_000);
  const part = await toolwright.execute(`return JSON.parse(await fs.readFile('${large.file.path}')).at(-1);`, {
    sessionId: ada.id,
  });
  assert.deepEqual(part.value, { id: 49_999 });
  console.log(`${large.file.bytes} bytes in ${large.file.path}; its last item is`, part.value);
} finally {
  await toolwright.close();
  await rm(state, { recursive: true, force: true });
}
