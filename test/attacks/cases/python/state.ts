import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'files-of-predecessor': {
    program: `write_file('/workspace/mine.txt', 'private')
result = 1`,
    next: `'clean' if not list_files('/workspace') else 'seen'`,
    nextOf: 'bystander',
    badSandbox: 'not-run',
  },
  'temporary-files': {
    program: `import os
for folder in ('/tmp', '/dev/shm', '/var/tmp', '/run', '/'):
    try:
        fd = os.open(folder + '/tw-left', os.O_WRONLY | os.O_CREAT, 0o666)
        os.write(fd, b'left')
        os.mkdir(folder + '/tw-folder')
        os.symlink('/etc', folder + '/tw-link')
        os.mkfifo(folder + '/tw-pipe')
    except OSError: pass
result = 1`,
    next: `import os
found = [folder for folder in ('/tmp', '/dev/shm', '/var/tmp', '/run', '/') for name in (os.listdir(folder) if os.path.isdir(folder) else []) if name.startswith('tw-')]
'clean' if not found else str(found)`,
    badSandbox: 'not-run',
  },
  'temporary-files-that-resist': {
    program: `import os
try:
    os.makedirs('/tmp/tw-deep/a/b/c')
    os.close(os.open('/tmp/tw-deep/a/b/c/file', os.O_WRONLY | os.O_CREAT))
    os.makedirs('/tmp/tw-' + 'x' * 200)
    os.makedirs(b'/tmp/tw-\\xff\\n')
    for path in ('/tmp/tw-deep/a/b/c', '/tmp/tw-deep/a', '/tmp/tw-deep', '/tmp'): os.chmod(path, 0)
except OSError: pass
result = 1`,
    next: `import os
found = [name for name in os.listdir('/tmp') if name.startswith('tw-')]
'clean' if not found else str(found)`,
    badSandbox: 'not-run',
  },
  'shared-memory': {
    program: `import ctypes, os, platform
libc = ctypes.CDLL(None)
try:
    segment = libc.shmget(0x7a11, 4096, 0o1666)
    libc.msgget(0x7a11, 0o1666)
    libc.semget(0x7a11, 1, 0o1666)
except AttributeError: pass
try: libc.sem_open(b'/tw-left', os.O_CREAT, 0o666, 1)
except AttributeError: pass
result = 1`,
    // Without ctypes, no program can leave or find anything there.
    next: `try: import ctypes
except ImportError: ctypes = None
libc = ctypes and ctypes.CDLL(None)
found = [name for name in ('shmget', 'msgget', 'semget') if hasattr(libc, name) and getattr(libc, name)(0x7a11, *((0,) if name == 'msgget' else (1, 0))) >= 0]
'clean' if not found else str(found)`,
    nextOf: 'bystander',
    badSandbox: 'not-run',
  },
  'builtins-overridden': {
    program: `import builtins, json, os, struct, asyncio
def evil(*a, **k): return '"stolen"'
for module in (builtins, json, os, struct, asyncio):
    for name in ('print', 'open', 'len', 'str', 'dict', 'isinstance', 'getattr', 'compile', 'exec', 'eval', '__import__', '__build_class__', 'dumps', 'loads', 'read', 'write', 'fork', '_exit', 'waitpid', 'pack', 'unpack', 'run', 'sleep'):
        if hasattr(module, name): setattr(module, name, evil)
result = 1`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'api-overridden': {
    program: `import toolwright, sys
for module in (toolwright, sys.modules.get('servers'), sys.modules.get('__main__')):
    for name in ('call_mcp_tool', 'read_file', 'write_file', 'search_tools', 'ToolError', 'progress'):
        try: setattr(module, name, lambda *a, **k: 'stolen')
        except BaseException: pass
result = 1`,
    badSandbox: 'not-run',
  },
  'modules-kept': {
    program: `import sys, json, random
sys.kept = json.kept = random.kept = 1
sys.modules['kept'] = json
import builtins; builtins.kept = 1
result = 1`,
    next: `import sys, json, random, builtins
'clean' if not any(hasattr(module, 'kept') for module in (sys, json, random, builtins)) and 'kept' not in sys.modules else 'kept'`,
    badSandbox: 'not-run',
  },
  'settings-of-the-process': {
    program: `import gc, locale, os, signal, sys, time
os.environ['KEPT'] = 'x'
for work in (lambda: os.putenv('KEPT', 'x'), lambda: os.umask(0o777), lambda: os.chdir('/tmp'), lambda: gc.disable(), lambda: gc.freeze(), lambda: sys.setrecursionlimit(50), lambda: sys.set_int_max_str_digits(0), lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), lambda: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)), lambda: time.tzset(), lambda: sys.setswitchinterval(1000), lambda: os.nice(19)):
    try: work()
    except BaseException: pass
result = 1`,
    next: `import gc, os, sys
'clean' if 'KEPT' not in os.environ and gc.isenabled() and sys.getrecursionlimit() > 100 and os.getcwd() != '/tmp/tw' else 'kept'`,
    badSandbox: 'not-run',
  },
  'limits-of-the-process': {
    program: `import resource
for name in ('AS', 'DATA', 'NOFILE', 'FSIZE', 'CPU', 'NPROC', 'STACK'):
    try: resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (1, 1))
    except (OSError, ValueError): pass
result = 1`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'memory-after-bomb': {
    program: `kept = []
while True: kept.append(bytearray(b'A' * 1_000_000))`,
    limits: { timeoutMs: 1_500 },
    next: `try: import ctypes
except ImportError: ctypes = None
data = bytes(ctypes.create_string_buffer(1_000_000)) if ctypes else bytearray(1_000_000)
'clean' if not any(data) else 'dirty'`,
    badSandbox: 'not-run',
  },
  'random-numbers': {
    program: `import random
random.seed(1)
random.random = lambda: 4
random.Random.random = None
result = 1`,
    next: `import random
'clean' if random.random() < 1 and random.random() != random.random() else 'kept'`,
    badSandbox: 'not-run',
  },
  'descriptors-left-open': {
    program: `import os
for _ in range(100_000):
    try: os.dup(1)
    except OSError: break
result = 1`,
    next: `import os
path = '/proc/self/fd'
'clean' if not os.path.isdir(path) or len(os.listdir(path)) < 20 else str(os.listdir(path))`,
    badSandbox: 'not-run',
  },
  'settings-of-the-parent': {
    program: `import os
try:
    import resource
    for name, value in (('FSIZE', 0), ('NOFILE', 8), ('AS', 100_000_000)):
        try: resource.prlimit(os.getppid(), getattr(resource, 'RLIMIT_' + name), (value, value))
        except (OSError, ValueError): pass
except ImportError: pass
for which, who in ((0, 'getppid'), (1, 'getppid'), (2, 'getuid')):
    try: os.setpriority(which, getattr(os, who)(), 19)
    except (AttributeError, OSError): pass
result = 1`,
    next: `import os
try: import resource
except ImportError: resource = None
open_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else 100
nice = os.getpriority(0, 0) if hasattr(os, 'getpriority') else 0
written = 0
if os.path.isdir('/tmp'):
    fd = os.open('/tmp/x', os.O_WRONLY | os.O_CREAT)
    written = os.write(fd, b'x')
'clean' if open_files > 8 and nice != 19 and written == 1 else str((open_files, nice, written))`,
    badSandbox: 'not-run',
  },
};

export default attacks;
