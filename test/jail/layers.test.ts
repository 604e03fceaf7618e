import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { POLICIES } from '../../packages/sandbox/src/sandboxes/jail/policy.ts';
import { SYSCALL_NUMBERS } from '../../packages/sandbox/src/sandboxes/jail/syscalls.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { finish, firstOutput, needsJail, runNode, runPython, startPython } from './raw.ts';

/** The jail without the language layer: plain Node and plain CPython, as if a program had left its runtime. */
const javascript = await probeJail('javascript');
const python = await probeJail('python');
const SECRET = 'the-planted-secret-7f3a';
let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-jail-'));
  file = join(folder, 'secret.txt');
  writeFileSync(file, SECRET, { mode: 0o644 });
  process.env.TOOLWRIGHT_PLANTED = SECRET;
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  delete process.env.TOOLWRIGHT_PLANTED;
});

needsJail(javascript).describe('plain Node in a jail', () => {
  const attempt = async (code: string) =>
    (
      await runNode(
        `Promise.resolve().then(async () => { ${code} }).then((value) => print('did ' + value), (error) => print(error.code ?? error.message))`,
      )
    ).output;

  it('runs programs, so that the refusals below are meaningful', async () => {
    expect(await attempt('return 1 + 1')).toBe('did 2');
    expect(await attempt("return require('fs').readFileSync('/toolwright/guest/node.cjs').length > 100")).toBe(
      'did true',
    );
  });

  it('finds no file of the host', async () => {
    const read = (path: string) => attempt(`return require('fs').readFileSync(${JSON.stringify(path)}, 'utf8')`);
    expect(await read(file)).toBe('ENOENT');
    for (const path of ['/etc/passwd', '/proc/1/root/etc/passwd', '/proc/self/root/etc/hosts', '/oldroot/etc/passwd']) {
      expect(await read(path)).toMatch(/^(ENOENT|EACCES)$/);
    }
    expect(await read('/proc/1/mem')).toMatch(/^(EACCES|EPERM|EIO)$/);
  });

  it('finds the secret neither in the environment nor in /proc', async () => {
    const search = `
const fs = require('fs');
const seen = [];
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
  for (const name of ['environ', 'cmdline', 'mountinfo', 'maps'])
    try { seen.push(fs.readFileSync('/proc/' + pid + '/' + name, 'utf8')) } catch {}
return seen.length > 4 && seen.join('').includes(['planted-secret', '7f3a'].join('-')) ? 'found' : seen.length > 4`;
    expect(await attempt(search)).toBe('did true');
  });

  it('cannot write anywhere', async () => {
    for (const path of [
      '/x',
      '/toolwright/x',
      '/toolwright/guest/node.cjs',
      '/tmp/x',
      '/dev/shm/x',
      '/proc/self/oom_score_adj',
    ]) {
      expect(await attempt(`return require('fs').writeFileSync(${JSON.stringify(path)}, '1')`)).toMatch(
        /^(EROFS|ENOENT|EACCES|EPERM)$/,
      );
    }
  });

  it('starts no process, opens no socket', async () => {
    const spawned = "return require('child_process').spawnSync(process.execPath, ['-v']).error?.code ?? 'started'";
    expect(await attempt(spawned)).toMatch(/^did E/);
    const connect = (target: string) =>
      attempt(
        `await new Promise((resolve, reject) => require('net').connect(${target}).on('connect', resolve).on('error', reject))`,
      );
    for (const target of ["80, '127.0.0.1'", "443, '1.1.1.1'", "'/var/run/docker.sock'", "{ path: '\\0abstract' }"]) {
      expect(await connect(target)).toMatch(/^E[A-Z]+$/);
    }
    expect(await attempt("await require('dns').promises.lookup('example.com')")).toMatch(/^E[A-Z_]+$/);
  });
});

needsJail(python).describe('plain CPython in a jail', () => {
  const attempt = async (code: string) => {
    const body = code
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n');
    return (
      await runPython(
        `try:\n${body}\nexcept BaseException as error:\n    import errno\n    print(errno.errorcode.get(getattr(error, "errno", None), repr(error)))`,
      )
    ).output;
  };

  it('runs programs, so that the refusals below are meaningful', async () => {
    expect(await attempt('open("/tmp/a", "w").write("1")\nprint(open("/tmp/a").read())')).toBe('1');
  });

  it('finds no file of the host, and no secret in /proc', async () => {
    for (const path of [file, '/etc/passwd', '/proc/1/root/etc/passwd', '/usr/bin/env', '/sys/kernel', '/dev/null']) {
      expect(await attempt(`print(open(${JSON.stringify(path)}).read())`)).toMatch(/^(ENOENT|EACCES)$/);
    }
    const search = `
import glob, os
seen = ""
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try: seen += open(path, errors="replace").read()
    except OSError: pass
print(len(glob.glob("/proc/[0-9]*")), ("planted-" + "secret") in seen, "TOOLWRIGHT_PLANTED" in os.environ)`;
    expect(await attempt(search)).toBe('2 False False');
  });

  it('cannot see another jail: neither its processes nor its files', async () => {
    const other = await startPython(
      `open("/tmp/tenant", "w").write("${SECRET}")\nprint("there")\nimport time\ntime.sleep(60)`,
    );
    await firstOutput(other);
    expect(
      await attempt('import os\nprint(os.listdir("/tmp"), sorted(p for p in os.listdir("/proc") if p.isdigit()))'),
    ).toBe("[] ['1', '2']");
    const finished = finish(other);
    other.kill();
    await finished;
  });

  it('is refused every system call that only an escape needs', async () => {
    const column = process.arch === 'arm64' ? 1 : 0;
    const numbers = Object.fromEntries(
      POLICIES.python.refused.flatMap((call) => {
        const number = SYSCALL_NUMBERS[call]?.[column];
        return number === undefined ? [] : [[call, number]];
      }),
    );
    const { output } = await runPython(`
import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
answers = {}
for name, number in ${JSON.stringify(numbers)}.items():
    ctypes.set_errno(0)
    answers[name] = (libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno())
print(json.dumps(answers))`);
    const answers: Record<string, [number, number]> = JSON.parse(output);
    expect(Object.keys(answers).length).toBeGreaterThan(80);
    expect(Object.entries(answers).filter(([, [result, error]]) => result !== -1 || error !== 1)).toEqual([]);
  });

  it('finds no call without a name in the policy, and no way around it by arguments', async () => {
    const [clone = 0, socketpair = 0, mmap = 0, ioctl = 0, prctl = 0, fcntl = 0] = [
      'clone',
      'socketpair',
      'mmap',
      'ioctl',
      'prctl',
      'fcntl',
    ].map((call) => SYSCALL_NUMBERS[call]?.[process.arch === 'arm64' ? 1 : 0]);
    const { output } = await runPython(`
import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ctypes.set_errno(0)
    libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
    return ctypes.get_errno()
print(json.dumps({
  "clone3": call(435, 0, 0), "landlock": call(444, 0, 0, 1), "unknown": call(1000),
  "clone newuser": call(${clone}, 0x10000011, 0, 0, 0, 0), "clone newns": call(${clone}, 0x20011, 0, 0, 0, 0),
  "socketpair inet": call(${socketpair}, 2, 1, 0, 0),
  "shared anonymous": call(${mmap}, 0, 4096, 3, 0x21, -1, 0), "grows down": call(${mmap}, 0, 4096, 3, 0x122, -1, 0),
  "terminal input": call(${ioctl}, 0, 0x5412, 0), "keep capabilities": call(${prctl}, 8, 1, 0, 0, 0),
  "larger pipe": call(${fcntl}, 3, 1031, 1 << 20),
}))`);
    expect(JSON.parse(output)).toEqual({
      clone3: 38,
      landlock: 38,
      unknown: 38,
      'clone newuser': 1,
      'clone newns': 1,
      'socketpair inet': 97,
      'shared anonymous': 1,
      'grows down': 1,
      'terminal input': 1,
      'keep capabilities': 1,
      'larger pipe': 1,
    });
  });

  it.skipIf(process.arch !== 'x64')('is killed after a call with its number for 32-bit pointers', async () => {
    const { output } = await runPython(`
import ctypes, os
pid = os.fork()
if pid == 0:
    ctypes.CDLL(None).syscall(0x40000000 + 39)
    os._exit(0)
print(os.WTERMSIG(os.waitpid(pid, 0)[1]))`);
    expect(output).toBe('31');
  });
});
