import type { Canaries } from './canaries.ts';

/** Returns a program that reads secrets through an object that may be the host's `process`. */
export function steal({ envName, secretFile, canaryFile }: Canaries, expression: string): string {
  return `const loot = [];
const attempt = async (work) => { try { loot.push(String(await work())) } catch (error) { loot.push(String(error)) } };
const found = await (async () => (${expression}))();
await attempt(() => found);
await attempt(() => found.env[${JSON.stringify(envName)}]);
await attempt(() => found.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(secretFile)}, 'utf8'));
await attempt(() => found.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(canaryFile)}, 'stolen'));
console.log(loot.join(' '));
return loot;`;
}

/** Returns the same program in Python. The expression returns the names of the module `os`, as `vars(os)` does. */
export function stealInPython({ envName, secretFile, canaryFile }: Canaries, expression: string): string {
  return `loot = []
def attempt(work):
    try: loot.append(str(work()))
    except BaseException as error: loot.append(repr(error))
def find():
    return ${expression}
def read():
    names = find()
    return names['read'](names['open']('${secretFile}', 0), 1000)
def write():
    names = find()
    names['write'](names['open']('${canaryFile}', 1), b'stolen')
attempt(lambda: find()['environ'].get('${envName}'))
attempt(read)
attempt(write)
result = loot`;
}

/** Python that finds the descriptors of its channel and writes any bytes to them. */
export const RAW_CHANNEL = `import os, stat, struct, time
DONE, REQUEST, READY = 6, 2, 7
def frame(kind, number, text):
    data = text.encode()
    return struct.pack('>IBI', len(data) + 5, kind, number) + data
def channels():
    for fd in range(3, 64):
        try: mode = os.fstat(fd).st_mode
        except OSError: continue
        if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode): yield fd
def write(data):
    for fd in channels():
        try: os.write(fd, data)
        except OSError: pass
`;

/** Python that makes system calls by number in a child process, and reports the calls that were not refused. */
export const SYSTEM_CALLS = `import ctypes, os, platform, struct
buffer = ctypes.create_string_buffer(8)
HERE = struct.pack('=QQ', ctypes.addressof(buffer), 8)
libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == 'aarch64'
def granted(x64, arm64, *args):
    child = os.fork()
    if child == 0:
        values = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in args]
        os._exit(0 if libc.syscall(ctypes.c_long(arm64 if ARM else x64), *values) >= 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
`;

/** JavaScript that tries all known ways to Node's `process`. `found` is undefined if none works. */
export const FIND_PROCESS = `const isProcess = (value) => typeof value?.pid === 'number' && typeof value.kill === 'function';
const FROM_LOADER = 'return import("node:process").then((module) => module.default)';
const WAYS = [
  () => globalThis.process,
  () => globalThis.constructor.constructor('return process')(),
  () => globalThis.global.process,
  () => require('node:process'),
  async () => (await import('node:process')).default,
  async () => (await import('process')).default,
  async () => (await import('node:module')).createRequire('/')('node:process'),
  () => callMCPTool.constructor('return process')(),
  () => new Function(FROM_LOADER)(),
  () => (0, eval)('import("node:process")').then((module) => module.default),
  () => Promise.resolve(FROM_LOADER).then(Function).then((load) => load()),
  () => Reflect.apply([FROM_LOADER].map, [FROM_LOADER], [Function])[0](),
  () => (async () => {}).constructor('return (await import("node:process")).default')(),
  () => new Promise((resolve) => { const registry = new FinalizationRegistry((held) => resolve(new held('return process')())); registry.register({}, Function); setTimeout(resolve, 5) }),
  () => { const { prepareStackTrace } = Error; try { Error.prepareStackTrace = (_, sites) => sites; return new Error().stack.flatMap((site) => [site.getThis?.()?.process, site.getFunction?.()?.constructor('return process')()]).find(isProcess) } finally { Error.prepareStackTrace = prepareStackTrace } },
];
const findProcess = async () => {
  for (const way of WAYS) try { const found = await way(); if (isProcess(found)) return found } catch {}
};
const found = await findProcess();
const builtin = (name) => found.getBuiltinModule?.('node:' + name) ?? found.mainModule.require('node:' + name);
`;

/** The same, which also writes any bytes to all descriptors that may be the channel. */
export const RAW_NODE_CHANNEL: string = `${FIND_PROCESS}
const { writeSync } = builtin('fs');
const [DONE, REQUEST, READY] = [6, 2, 7];
const frame = (type, id, text) => { const bytes = new Uint8Array(9 + text.length); const view = new DataView(bytes.buffer); view.setUint32(0, 5 + text.length); view.setUint8(4, type); view.setUint32(5, id); for (let i = 0; i < text.length; i++) bytes[9 + i] = text.charCodeAt(i); return bytes };
const write = (bytes) => { for (let fd = 3; fd < 32; fd++) try { writeSync(fd, bytes) } catch {} };
`;
