import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { fixture } from '../fixtures/server.ts';

const desk = openDesk({ docs: fixture('documents') });
const withDead = openDesk({ docs: fixture('documents'), dead: fixture('dies', 'start') });

describe.concurrent('toolwright resources', () => {
  test('lists the resources of servers, and names a server that could not list', async () => {
    const { code, out, err } = await desk.run(['resources', '--server', 'docs']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('docs  docs://notes  notes, text/markdown, About docs://notes\n');
    expect(out).toContain('docs  users://{id}/profile  profile, A user\n');
    const listed = await withDead.run(['resources', '--json']);
    expect([listed.code, listed.err.split(':')[0]]).toEqual([4, 'dead']);
    const { resources } = JSON.parse(listed.out);
    expect([resources.length, resources.at(-1).uriTemplate]).toEqual([9, 'users://{id}/profile']);
  });

  test('reads a text, redacted, as text and as JSON', async () => {
    const { code, out } = await desk.run(['resources', 'read', 'docs', 'docs://notes']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^\[draft\] version 1 by \[EMAIL_\d+\]\n$/)]);
    const { contents } = JSON.parse((await desk.run(['resources', 'read', 'docs', 'docs://folder', '--json'])).out);
    expect(contents.map(({ uri }: { uri: string }) => uri)).toEqual(['docs://folder/a', 'docs://folder/b']);
  });

  test('stores bytes in a new file', async () => {
    const read = ['resources', 'read', 'docs', 'docs://logo.png'];
    const shown = await desk.run(read);
    expect([shown.code, shown.out]).toEqual([0, '']);
    expect(shown.err).toBe(
      'docs://logo.png: 16 bytes, image/png.\nStore bytes with --out FILE, or print them as base64 with --json.\n',
    );
    const stored = await desk.run([...read, '--out', 'logo.png', '--json']);
    expect(JSON.parse(stored.out)).toEqual({ file: 'logo.png', bytes: 16, mimeType: 'image/png' });
    expect(readFileSync(join(desk.folder, 'logo.png')).subarray(1, 4).toString()).toBe('PNG');
    const again = await desk.run([...read, '--out', 'logo.png']);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('Name a new file')]);
  });

  test('reports mistakes', async () => {
    const results = await Promise.all([
      desk.run(['resources', 'read', 'docs']),
      desk.run(['resources', 'read', 'dosc', 'docs://notes']),
      desk.run(['resources', 'read', 'docs', 'docs://folder', '--out', 'folder']),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(results[1]?.err).toContain('Did you mean docs?');
    expect(results[2]?.err).toContain('docs://folder/a, docs://folder/b');
  });
});

test('toolwright prompts lists prompts, and fills one', async () => {
  expect((await desk.run(['prompts'])).out).toBe('docs  review(language)  Reviews a text\n');
  const filled = await desk.run(['prompts', 'get', 'docs', 'review', 'language=ruby']);
  expect(filled.out).toMatch(/^user: Review this ruby of \[EMAIL_\d+\]\n$/);
  const wrong = await desk.run(['prompts', 'get', 'docs', 'review', 'ruby']);
  expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([2, 'An argument of a prompt is NAME=TEXT, not "ruby".']);
});
