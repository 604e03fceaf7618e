import { symlink, writeFile } from 'node:fs/promises';
import type { Attacks } from '../../attack.ts';

/**
 * Returns Python that evaluates expressions one after another and collects the results. An error may repeat its path.
 */
const collect = (lines: readonly string[], reported = ' ') => `import builtins, io, os
loot = []
def attempt(work):
    try: loot.append(str(work())[:5000])
    except BaseException as error: loot.append(repr(error)[:300].replace('${reported}', ''))
${lines.map((line) => `attempt(lambda: ${line})`).join('\n')}
result = loot`;

const attacks: Attacks = {
  'every-reader': {
    makeProgram: ({ secretFile }) =>
      collect([
        `io.FileIO('${secretFile}').read()`,
        `io.open('${secretFile}').read()`,
        `io.open_code('${secretFile}').read()`,
        `os.read(os.open('${secretFile}', os.O_RDONLY), 100)`,
        `__import__('pathlib').Path('${secretFile}').read_text()`,
        `__import__('codecs').open('${secretFile}').read()`,
        `__import__('linecache').getlines('${secretFile}')`,
        `__import__('mmap').mmap(os.open('${secretFile}', os.O_RDONLY), 0, prot=1).read()`,
        `__import__('importlib.machinery').machinery.SourceFileLoader('x', '${secretFile}').get_data('${secretFile}')`,
        `__import__('tokenize').open('${secretFile}').read()`,
        `list(__import__('fileinput').input('${secretFile}'))`,
      ]),
    badSandbox: 'caught',
  },
  'every-writer': {
    makeProgram: ({ canaryFile }) =>
      collect([
        `os.write(os.open('${canaryFile}', os.O_WRONLY | os.O_TRUNC), b'stolen')`,
        `io.FileIO('${canaryFile}', 'w').write(b'stolen')`,
        `os.truncate('${canaryFile}', 0)`,
        `os.remove('${canaryFile}')`,
      ]),
    badSandbox: 'caught',
  },
  'entries-of-folders': {
    makeProgram: ({ dir, canaryFile, outside }) =>
      collect([
        `os.mkdir('${outside}/planted')`,
        `os.symlink('/', '${outside}/link')`,
        `os.link('${canaryFile}', '${outside}/hard')`,
        `os.mkfifo('${outside}/pipe')`,
        `os.rename('${canaryFile}', '${outside}/moved')`,
        `os.rmdir('${outside}')`,
        `os.listdir('${dir}')`,
      ]),
    badSandbox: 'caught',
  },
  'bridge-absolute': {
    makeProgram: ({ secretFile, canaryFile, dir }) =>
      collect([
        `open('${secretFile}').read()`,
        `read_file('${secretFile}')`,
        `write_file('${canaryFile}', 'stolen')`,
        `list_files('${dir}')`,
        `load_skill('${secretFile}')`,
        `open('${canaryFile}', 'w').write('stolen')`,
      ]),
    badSandbox: 'not-run',
  },
  'bridge-traversal': {
    makeProgram: ({ secretFile }) =>
      collect(
        [
          '../../../../../../../../..',
          '/workspace/../../../../../..',
          '/skills/../..',
          '/servers/../..',
          './a/../../../../../../../../..',
        ]
          .flatMap((up) => [
            `${up}${secretFile}`,
            `${up}/./${secretFile}`,
            `${up.replaceAll('..', '%2e%2e')}${secretFile}`,
          ])
          .flatMap((path) => [`open('${path}').read()`, `read_file('${path}')`, `load_skill('${path}')`]),
      ),
    badSandbox: 'not-run',
  },
  'bridge-neighbour': {
    makeProgram: ({ dataDir }) =>
      collect(
        [
          '../neighbour/workspace/secret.txt',
          '/workspace/../../neighbour/workspace/secret.txt',
          `${dataDir}/sessions/neighbour/workspace/secret.txt`,
        ].flatMap((path) => [`open('${path}').read()`, `read_file('${path}')`, `io.open('${path}').read()`]),
        dataDir,
      ),
    badSandbox: 'caught',
  },
  'bridge-odd-paths': {
    makeProgram: ({ secretFile }) =>
      collect([
        `open(b'${secretFile}').read()`,
        `open('/workspace/x\\0${secretFile}').read()`,
        `read_file(['${secretFile}'])`,
        `read_file({'path': '${secretFile}'})`,
        `read_file(type('P', (), {'__fspath__': lambda self: '${secretFile}'})())`,
        `open(0).read(10)`,
        `open(3, 'wb').write(b'x')`,
        `read_file('\\ud800')`,
        `read_file('file://${secretFile}')`,
        `open('x', opener=lambda path, flags: os.open('${secretFile}', 0)).read()`,
      ]),
    badSandbox: 'not-run',
  },
  'bridge-changing-path': {
    makeProgram: ({ secretFile }) => `class Path(str):
    reads = 0
    def __str__(self): return '${secretFile}'
    def startswith(self, *a): return True
    def __fspath__(self): Path.reads += 1; return '/workspace/x' if Path.reads == 1 else '${secretFile}'
loot = []
for work in (lambda: open(Path('/workspace/x')).read(), lambda: read_file(Path('/workspace/x')), lambda: list_files(Path('/workspace'))):
    try: loot.append(str(work()))
    except BaseException as error: loot.append(repr(error).replace('${secretFile}', ''))
result = loot`,
    badSandbox: 'not-run',
  },
  'write-servers': {
    program: `for path in ('/servers/tools.py', '/servers/tools/__init__.py', '/servers/evil.py', '/toolwright.py', '/program.py'):
    try: write_file(path, 'def add(**k): return 666')
    except BaseException: pass
from servers.tools import add
result = 'clean' if (await add(a=1, b=2))['sum'] == 3 else 'overwritten'`,
    judge: ({ result }) =>
      result.status === 'completed' && result.value === 'clean' ? undefined : 'servers were changed',
    badSandbox: 'not-run',
  },
  'link-read': {
    prepare: ({ workspace, secretFile }) => symlink(secretFile, `${workspace}/link`),
    program: `loot = []
for work in (lambda: open('link').read(), lambda: read_file('/workspace/link'), lambda: __import__('os').readlink('/workspace/link')):
    try: loot.append(str(work()))
    except BaseException as error: loot.append(repr(error))
result = loot`,
    badSandbox: 'not-run',
  },
  'link-write': {
    prepare: ({ workspace, canaryFile }) => symlink(canaryFile, `${workspace}/link`),
    program: `for work in (lambda: open('link', 'w').write('stolen'), lambda: write_file('/workspace/link', 'stolen'), lambda: open('link', 'a').write('stolen')):
    try: work()
    except BaseException: pass`,
    badSandbox: 'not-run',
  },
  'link-of-folder': {
    prepare: ({ workspace, dir }) => symlink(dir, `${workspace}/link`),
    program: `loot = []
for work in (lambda: list_files('link'), lambda: open('link/secret.txt').read(), lambda: write_file('link/planted', 'x'), lambda: list_files('/workspace')):
    try: loot.append(str(work()))
    except BaseException as error: loot.append(type(error).__name__)
result = loot`,
    judge: ({ result }) => (/canary|outside/.test(JSON.stringify(result)) ? 'a link was followed' : undefined),
    badSandbox: 'not-run',
  },
  'link-made-inside': {
    makeProgram: ({ secretFile, canaryFile }) => `import os
loot = []
for folder in ('/workspace', '/tmp', '/skills', '.'):
    for name, target in (('stolen', '${secretFile}'), ('harmed', '${canaryFile}')):
        try: os.symlink(target, folder + '/' + name)
        except OSError as error: loot.append(error.errno)
    for work in (lambda: open(folder + '/stolen').read(), lambda: read_file(folder + '/stolen'), lambda: write_file(folder + '/harmed', 'stolen'), lambda: os.read(os.open(folder + '/stolen', 0), 100)):
        try: loot.append(str(work()))
        except BaseException as error: loot.append(type(error).__name__)
result = loot`,
    badSandbox: 'not-run',
  },
  'link-import': {
    prepare: ({ workspace, secretFile }) => symlink(secretFile, `${workspace}/lib.py`),
    program: `import traceback
try: import lib; result = vars(lib)
except BaseException: result = traceback.format_exc()`,
    badSandbox: 'not-run',
  },
  'roots-of-processes': {
    makeProgram: ({ secretFile }) =>
      collect([
        `os.read(os.open('/proc/1/root${secretFile}', 0), 100)`,
        `os.read(os.open('/proc/self/root${secretFile}', 0), 100)`,
        `os.read(os.open('/proc/%d/root${secretFile}' % os.getppid(), 0), 100)`,
        `os.listdir('/proc/1/cwd')`,
      ]),
    badSandbox: 'caught',
  },
  'own-environment': {
    makeProgram: ({ envName }) =>
      collect([
        `os.environ.get('${envName}')`,
        `os.read(os.open('/proc/self/environ', 0), 100_000)`,
        `__import__('ctypes').CDLL(None).getenv`,
      ]),
    badSandbox: 'caught',
  },
  'environments-of-all': {
    program: `import os
loot = []
for pid in os.listdir('/proc'):
    for name in ('environ', 'cmdline', 'comm', 'maps', 'mountinfo'):
        try:
            with os.fdopen(os.open('/proc/' + pid + '/' + name, 0), 'rb') as file: loot.append(file.read(20_000).decode('latin1'))
        except OSError: pass
result = [text for text in loot if 'S3cret' in text or 'node' in text]`,
    judge: ({ result }) => (/vitest/.test(JSON.stringify(result)) ? 'a process of the host was seen' : undefined),
    badSandbox: 'not-run',
  },
  'ctypes-open': {
    makeProgram: ({ secretFile, canaryFile }) => `import ctypes
libc = ctypes.CDLL(None)
buffer = ctypes.create_string_buffer(200)
libc.read(libc.open(b'${secretFile}', 0), buffer, 199)
libc.write(libc.open(b'${canaryFile}', 0o1001), b'stolen', 6)
result = buffer.value.decode('latin1')`,
    badSandbox: 'caught',
  },
  'database-attach': {
    makeProgram: ({ outside, secretFile }) => `import sqlite3
base = sqlite3.connect('${outside}/planted.db')
base.execute('create table loot (x)')
base.enable_load_extension(True)
base.load_extension('${secretFile}')`,
    badSandbox: 'caught',
  },
  devices: {
    program: `import os
loot = []
for name in ('mem', 'kmem', 'port', 'kmsg', 'sda', 'vda', 'nvme0n1', 'loop-control', 'fuse', 'kvm', 'net/tun', 'input/event0', 'snapshot', 'autofs'):
    for flags in (os.O_RDONLY, os.O_RDWR):
        try: os.close(os.open('/dev/' + name, flags | os.O_NONBLOCK)); loot.append(name)
        except OSError: pass
result = loot`,
    judge: ({ result }) =>
      result.status === 'completed' && JSON.stringify(result.value) !== '[]' ? 'a device was opened' : undefined,
    badSandbox: 'not-run',
  },
  'module-planted-on-the-host': {
    prepare: ({ dir, secrets }) => writeFile(`${dir}/loot.py`, `secret = '${secrets.get('file')}'`),
    makeProgram: ({ dir }) => `import sys
sys.path.insert(0, '${dir}')
sys.path_importer_cache.clear()
import loot
result = loot.secret`,
    badSandbox: 'caught',
  },
  'readers-of-the-library': {
    makeProgram: ({ secretFile }) =>
      collect([
        `__import__('runpy').run_path('${secretFile}')`,
        `__import__('configparser').ConfigParser().read('${secretFile}')`,
        `__import__('netrc').netrc('${secretFile}')`,
        `__import__('doctest').testfile('${secretFile}', False)`,
        `__import__('py_compile').compile('${secretFile}', '/tmp/x', doraise=True)`,
        `__import__('traceback').format_list([('${secretFile}', 1, 'x', None)])`,
      ]),
    badSandbox: 'caught',
  },
};

export default attacks;
