import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { overlayFiles } from './overlay.ts';
import { openWorkspace } from './workspace.ts';

async function open() {
  const quota = { workspaceBytes: 10_000, workspaceFiles: 100 };
  const lower = openWorkspace({ ...quota, root: temporaryFolder() });
  const upper = openWorkspace({ ...quota, root: temporaryFolder() });
  await lower.makeFolder('/workspace/a/deep', true);
  await lower.write('/workspace/a/deep/1', Buffer.from('one'), 'replace');
  await lower.write('/workspace/a/2', Buffer.from('two'), 'replace');
  await lower.write('/workspace/b', Buffer.from('b'), 'replace');
  const overlay = overlayFiles(lower, upper, 'workspace', 1_000);
  const names = async (files: typeof lower | typeof overlay) =>
    (await files.list('/workspace', true)).map(({ name }) => name);
  return { lower, upper, overlay, names };
}

describe('an overlay', () => {
  test('shows the tree below until a change, and leaves that tree unchanged', async () => {
    const { lower, overlay, names } = await open();
    const before = await names(lower);
    expect([await names(overlay), overlay.changed()]).toEqual([before, []]);
    await overlay.write('/workspace/a/deep/1', Buffer.from('+'), 'append');
    await overlay.write('/workspace/c', Buffer.from('c'), 'replace');
    await overlay.remove('/workspace/b', { recursive: false, force: false });
    expect((await overlay.read('/workspace/a/deep/1', 100)).toString()).toBe('one+');
    expect((await overlay.read('/workspace/a/2', 100)).toString()).toBe('two');
    expect(await names(overlay)).toEqual(['a', 'a/2', 'a/deep', 'a/deep/1', 'c']);
    expect(overlay.changed()).toEqual(['a', 'b', 'c']);
    expect((await failureOf(overlay.stat('/workspace/b'))).details).toEqual({ errno: 'ENOENT' });
    expect(await names(lower)).toEqual(before);
    expect((await lower.read('/workspace/a/deep/1', 100)).toString()).toBe('one');
  });

  test('moves files between changed and unchanged folders', async () => {
    const { overlay, names } = await open();
    await overlay.rename('/workspace/a/deep', '/workspace/d');
    await overlay.removeFolder('/workspace/d').catch(() => undefined);
    expect(await names(overlay)).toEqual(['a', 'a/2', 'b', 'd', 'd/1']);
  });

  test('accepts concurrent changes of the same folder', async () => {
    const { overlay } = await open();
    const writes = Array.from({ length: 10 }, (_, index) =>
      overlay.write(`/workspace/a/new${index}`, Buffer.from('x'), 'replace'),
    );
    await Promise.all(writes);
    expect(await overlay.list('/workspace/a', false)).toHaveLength(12);
  });

  test('refuses changes of its root', async () => {
    const { overlay } = await open();
    await overlay.makeFolder('/workspace', true);
    const removal = overlay.remove('/workspace', { recursive: true, force: true });
    expect((await failureOf(removal)).details).toEqual({ errno: 'EISDIR' });
  });
});
