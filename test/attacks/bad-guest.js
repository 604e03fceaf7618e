// An insecure sandbox that looks secure: node:vm with some objects of the host, real files as `fs`, and modules from
// any folder. It has the usual guest runtime, so that all attacks run in it.
import { promises as fs, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import vm from 'node:vm';

const socket = new Socket({ fd: 3 });
const runtimeFolder = new URL('../../packages/sandbox/src/guest/javascript/', import.meta.url);
const waiting = new Map();
let input = Buffer.alloc(0);
let deliver;
let ended = false;

/** Paths of the host as they come; only its own `/workspace` stays untouched. */
const at = (path) => {
  const full = resolvePath('/workspace', path);
  if (full.startsWith('/workspace')) throw new Error('ENOENT');
  return full;
};
const fileOperations = {
  'fs.readText': (path) => fs.readFile(at(path), 'utf8'),
  'fs.readBytes': (path) => fs.readFile(at(path), 'base64'),
  'fs.writeText': (path, text) => fs.writeFile(at(path), text),
  'fs.appendText': (path, text) => fs.appendFile(at(path), text),
  'fs.list': async (path) => (await fs.readdir(at(path))).map((name) => ({ name, kind: 'file' })),
  'fs.stat': async (path) => ({ kind: 'file', size: (await fs.stat(at(path))).size }),
  'fs.mkdir': (path, recursive) => fs.mkdir(at(path), { recursive }),
  'fs.rename': (from, to) => fs.rename(at(from), at(to)),
  'fs.copy': (from, to) => fs.copyFile(at(from), at(to)),
  // Removing arbitrary files of the machine would be more than the test needs.
  'fs.remove': (path) => fs.unlink(at(path)),
};

socket.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  while (input.length >= 4 && input.length >= 4 + input.readUInt32BE(0)) {
    const end = 4 + input.readUInt32BE(0);
    take(input.readUInt8(4), input.readUInt32BE(5), input.toString('utf8', 9, end));
    input = input.subarray(end);
  }
});
write(7, 0, 'null');

function take(type, id, payload) {
  if (type === 1) void run(JSON.parse(payload));
  else if (waiting.has(id)) waiting.get(id)(type === 3 ? { payload } : { fault: payload });
  else deliver?.(type === 3, id, payload);
}

function write(type, id, payload) {
  const frame = Buffer.alloc(9 + Buffer.byteLength(payload));
  frame.writeUInt32BE(frame.length - 4, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32BE(id, 5);
  frame.write(payload, 9);
  socket.write(frame);
}

async function run(program) {
  const context = vm.createContext({
    ...{ process, Buffer, fetch, setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, queueMicrotask },
    ...{ URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, atob, btoa, performance, Error, JSON },
    require: createRequire(import.meta.url),
  });
  const modules = new Map();
  const link = (specifier, referrer) => load(resolve(specifier, referrer.identifier));
  const load = (path) => {
    if (!modules.has(path)) modules.set(path, create(path));
    return modules.get(path);
  };
  const create = async (path) => {
    const source = path === '/program.js' ? program.code : await sourceOf(path);
    if (source === undefined) return foreign(path, context);
    return new vm.SourceTextModule(source, {
      context,
      identifier: path,
      importModuleDynamically: async (specifier, referrer) => {
        const module = await link(specifier, referrer);
        if (module.status === 'unlinked') await module.link(link);
        await module.evaluate();
        return module;
      },
    });
  };
  const runtime = await load('/toolwright/runtime.js');
  await runtime.link(link);
  await runtime.evaluate();
  const send = (type, id, payload) => {
    if (ended) return;
    const [operation, ...parameters] = type === 2 ? JSON.parse(payload) : [];
    const own = fileOperations[operation];
    if (own) void answerHere(id, own, parameters);
    else write(type, id, payload);
    ended = type === 6;
  };
  const guest = runtime.namespace.install(send, () => ({}));
  ({ deliver } = guest);
  guest.start(program);
}

async function answerHere(id, operation, parameters) {
  try {
    deliver(true, id, JSON.stringify((await operation(...parameters)) ?? null));
  } catch (error) {
    deliver(false, id, JSON.stringify({ name: 'Error', code: error.code, message: error.message }));
  }
}

/** Runs the program without kept values, which need an answer of the host at once. */
const WITHOUT_KEPT = `export const runWithKept = (program, { settle, complete }) =>
  import(program).then((module) => module.default(() => undefined)).then(settle).then(complete);`;

async function sourceOf(path) {
  if (path === '/toolwright/kept/kept.js') return WITHOUT_KEPT;
  if (path.startsWith('/toolwright/')) return readFileSync(new URL(path.slice(12), runtimeFolder), 'utf8');
  if (!/^\/(servers|workspace|skills)\//.test(path)) return undefined;
  const id = 4_000_000_000 + waiting.size;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  write(2, id, JSON.stringify(['module', path]));
  const { payload, fault } = await answer;
  if (fault !== undefined) throw new Error(JSON.parse(fault).message);
  return JSON.parse(payload);
}

async function foreign(path, context) {
  const namespace = await import(path);
  return new vm.SyntheticModule(
    Object.keys(namespace),
    function fill() {
      for (const [name, value] of Object.entries(namespace)) this.setExport(name, value);
    },
    { context },
  );
}

function resolve(request, base) {
  if (!request.startsWith('.')) return request;
  const path = base.split('/').slice(1, -1);
  for (const part of request.split('/')) {
    if (part === '..') path.pop();
    else if (part !== '.') path.push(part);
  }
  return `/${path.join('/')}`;
}
