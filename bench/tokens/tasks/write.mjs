// Many changes.
import { LIST_FOLDER, READ_FILE, readAll, textOf } from './task.mjs';

const namesIn = (listing) =>
  textOf(listing)
    .split('\n')
    .map((line) => line.replace(/^\[\w+\] /, ''));
const slow = (text) => JSON.parse(text).timeoutMs < 5_000;
const oldText = (text) => `"timeoutMs": ${JSON.parse(text).timeoutMs}`;
const NEW_TEXT = '"timeoutMs": 5000';
const isOld = (name) => name < 'export-2026';
const EXPIRED = { status: 'cancelled', note: 'expired' };
const LAST_DAY = '2025-10-31';
const expiring = ({ orders }) => orders.filter(({ status, date }) => status === 'pending' && date <= LAST_DAY);
const total = (orders) => orders.reduce((sum, order) => sum + order.total, 0);

export const write = [
  {
    id: 'raise-timeouts',
    prompt:
      'The JSON files in services/ each have a timeoutMs. Raise it to 5000 where it is lower, and change nothing else in the files. Which files changed? In alphabetical order.',
    search: [LIST_FOLDER, READ_FILE, { query: 'replace text in a file', finds: ['filesystem__edit_file'] }],
    *direct({ compound }) {
      const [listing] = yield [['filesystem__list_directory', { path: 'services' }]];
      const names = namesIn(listing);
      const texts = yield* readAll(
        names.map((name) => `services/${name}`),
        compound,
      );
      const changed = names.filter((_, index) => slow(texts[index]));
      yield changed.map((name) => [
        'filesystem__edit_file',
        { path: `services/${name}`, edits: [{ oldText: oldText(texts[names.indexOf(name)]), newText: NEW_TEXT }] },
      ]);
      return changed;
    },
    *programs() {
      return yield `const { content: listing } = await servers.filesystem.list_directory({path: "services"});
const changed: string[] = [];
for (const name of listing.match(/\\S+\\.json/g)) {
  const path = "services/" + name;
  const { content } = await servers.filesystem.read_text_file({path});
  const { timeoutMs } = JSON.parse(content);
  if (timeoutMs >= 5000) continue;
  await servers.filesystem.edit_file({path, edits: [{oldText: \`"timeoutMs": \${timeoutMs}\`, newText: '"timeoutMs": 5000'}]});
  changed.push(name);
}
return changed.sort();`;
    },
    mistake: { right: 'edits:', wrong: 'changes:' },
    formatAnswer: (names) => `Changed: ${names.join(', ')}.`,
    expected: ({ files }) =>
      Object.keys(files)
        .filter((path) => path.startsWith('services/') && slow(files[path]))
        .map((path) => path.slice(9))
        .sort(),
    after({ files }) {
      for (const path of Object.keys(files)) {
        if (path.startsWith('services/') && slow(files[path]))
          files[path] = files[path].replace(oldText(files[path]), NEW_TEXT);
      }
    },
  },
  {
    id: 'archive-exports',
    prompt:
      'Files in exports/ are called export-DATE.csv. Move those from before 2026 into a new folder archive/, under the same names. How many were moved?',
    search: [
      LIST_FOLDER,
      { query: 'create a folder', finds: ['filesystem__create_directory'] },
      { query: 'move a file', finds: ['filesystem__move_file'] },
    ],
    *direct() {
      const [listing] = yield [
        ['filesystem__list_directory', { path: 'exports' }],
        ['filesystem__create_directory', { path: 'archive' }],
      ];
      const old = namesIn(listing).filter(isOld);
      yield old.map((name) => ['filesystem__move_file', { source: `exports/${name}`, destination: `archive/${name}` }]);
      return old.length;
    },
    *programs() {
      return yield `await servers.filesystem.create_directory({path: "archive"});
const { content } = await servers.filesystem.list_directory({path: "exports"});
const old = content.match(/export-\\S+\\.csv/g).filter((name) => name < "export-2026");
await Promise.all(old.map((name) => servers.filesystem.move_file({source: "exports/" + name, destination: "archive/" + name})));
return old.length;`;
    },
    mistake: { right: 'destination:', wrong: 'target:' },
    formatAnswer: (count) => `${count} files were moved.`,
    expected: ({ files }) =>
      Object.keys(files).filter((path) => path.startsWith('exports/') && isOld(path.slice(8))).length,
    after({ files }) {
      for (const path of Object.keys(files)) {
        if (!path.startsWith('exports/') || !isOld(path.slice(8))) continue;
        files[path.replace('exports/', 'archive/')] = files[path];
        delete files[path];
      }
    },
  },
  {
    id: 'cancel-orders',
    prompt: `Cancel all orders in the CRM that are still pending and dated ${LAST_DAY} or earlier, with the note "expired". How many are that, and what is their total value?`,
    search: [
      { query: 'list orders by status', finds: ['crm__list_orders'] },
      { query: 'change the status of an order', finds: ['crm__update_order'] },
    ],
    *direct() {
      const [{ orders }] = yield [['crm__list_orders', { status: 'pending', to: LAST_DAY, limit: 100 }]];
      yield orders.map(({ id }) => ['crm__update_order', { id, ...EXPIRED }]);
      return { count: orders.length, value: total(orders) };
    },
    *programs() {
      return yield `const { orders } = await servers.crm.list_orders({status: "pending", to: "${LAST_DAY}", limit: 100});
await Promise.all(orders.map((order) => servers.crm.update_order({id: order.id, status: "cancelled", note: "expired"})));
return { count: orders.length, value: orders.reduce((sum, order) => sum + order.total, 0) };`;
    },
    mistake: { right: 'id: order.id', wrong: 'orderId: order.id' },
    formatAnswer: ({ count, value }) => `${count} orders worth EUR ${value} were cancelled.`,
    expected: ({ crm }) => ({ count: expiring(crm).length, value: total(expiring(crm)) }),
    after({ crm }) {
      for (const order of expiring(crm)) Object.assign(order, EXPIRED);
    },
  },
];
