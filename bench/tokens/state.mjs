// The start state and the end state of an arm. All state is on disk: no server keeps any in memory.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { makeFiles, makeGraph } from './files.mjs';
import { makeRecords } from './records.mjs';

/** Creates the start state. */
export function makeSeed() {
  const records = makeRecords();
  return { files: makeFiles(records), graph: makeGraph(), ...records };
}

/** Returns the paths of the state: `files` is the folder of the filesystem server, the others are files of one server. */
export function statePaths(folder) {
  const store = (name) => join(folder, 'stores', name);
  return {
    files: join(folder, 'files'),
    graph: store('graph.jsonl'),
    crm: store('crm.json'),
    tickets: store('tickets.json'),
    calendar: store('calendar.json'),
  };
}

/** Resets the state. */
export function resetState(folder, seed) {
  const paths = statePaths(folder);
  mkdirSync(dirname(paths.crm), { recursive: true });
  mkdirSync(paths.files, { recursive: true });
  for (const entry of readdirSync(paths.files)) rmSync(join(paths.files, entry), { recursive: true });
  for (const [path, text] of Object.entries(seed.files)) {
    mkdirSync(dirname(join(paths.files, path)), { recursive: true });
    writeFileSync(join(paths.files, path), text);
  }
  writeFileSync(paths.graph, seed.graph.map((line) => JSON.stringify(line)).join('\n'));
  for (const store of ['crm', 'tickets', 'calendar']) writeFileSync(paths[store], JSON.stringify(seed[store]));
}

/** Returns the current state, in the form of a seed. */
export function readState(folder) {
  const paths = statePaths(folder);
  const files = Object.fromEntries(
    readdirSync(paths.files, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(paths.files, path), readFileSync(path, 'utf8')]),
  );
  const graph = readFileSync(paths.graph, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const store = (path) => JSON.parse(readFileSync(path, 'utf8'));
  return { files, graph, crm: store(paths.crm), tickets: store(paths.tickets), calendar: store(paths.calendar) };
}
