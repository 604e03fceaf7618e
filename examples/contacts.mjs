// Copies 1,000 contacts from a CRM to a mail server, and counts them by the domain of their addresses. The program works with
// placeholders: neither the program nor its model receives a name, an address or a number.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createToolwright } from 'toolwright';
import { contacts } from './contacts/crm.mjs';

const PROGRAM = `
import { listContacts } from './servers/crm/index.js';
import { addContacts } from './servers/mail/index.js';

const all = [];
for (let page = 1, hasMore = true; hasMore; page++) {
  const answer = await listContacts({ page });
  await addContacts({ contacts: answer.contacts });
  all.push(...answer.contacts);
  hasMore = answer.hasMore;
}
const domains = await pii.derive(all.map(({ email }) => email), 'domain');
const counts = {};
for (const domain of domains) counts[domain] = (counts[domain] ?? 0) + 1;
console.log('first:', JSON.stringify(all[0]));
return { synced: all.length, counts };
`;

const folder = mkdtempSync(join(tmpdir(), 'toolwright-contacts-'));
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const book = join(folder, 'address-book.jsonl');
const toolwright = await createToolwright({
  dataDir: join(folder, 'data'),
  mcpServers: {
    crm: { command: process.execPath, args: [path('contacts/crm.mjs')] },
    mail: { command: process.execPath, args: [path('contacts/mail.mjs'), book] },
  },
});
try {
  const session = await toolwright.sessions.create();
  const result = await toolwright.execute(PROGRAM, { sessionId: session.id });
  assert.equal(result.status, 'completed', JSON.stringify(result));
  assert.deepEqual(result.value, {
    synced: 1_000,
    counts: { 'example.com': 334, 'example.org': 333, 'mail.example.net': 333 },
  });
  console.log(result.value);
  console.log(result.logs.map(({ text }) => text).join('\n'));

  // The mail server must have the same contacts as the CRM.
  const source = contacts(1_000);
  const sink = readFileSync(book, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(sink, source);

  // No text for a model may contain a value.
  const transcript = JSON.stringify([result, await toolwright.sessions.log(session.id)]);
  for (const { name, email, phone } of source) {
    for (const value of [name, email, phone]) assert.ok(!transcript.includes(value), value);
  }

  // The host can restore the values for the user.
  assert.equal(await toolwright.pii.restore('[EMAIL_1]', { sessionId: session.id }), source[0]?.email);
} finally {
  await toolwright.close();
  rmSync(folder, { recursive: true, force: true });
}
