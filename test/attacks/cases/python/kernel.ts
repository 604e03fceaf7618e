import type { Attacks } from '../../attack.ts';
import { SYSTEM_CALLS } from '../../preludes.ts';

/** System calls by name, number on x64, number on arm64, and arguments with an effect. */
const attempt = (calls: readonly string[]) => `${SYSTEM_CALLS}
taken = []
for name, *call in (${calls.join(', ')},):
    if granted(*call): taken.append(name)
result = taken`;

const refused: Attacks[string]['judge'] = ({ result }) =>
  result.status === 'completed' && JSON.stringify(result.value) !== '[]'
    ? `granted: ${JSON.stringify(result.value)}`
    : undefined;

const attacks: Attacks = {
  mounts: {
    program: attempt([
      `('mount', 165, 40, b'none', b'/tmp', b'tmpfs', 0, 0)`,
      `('bind', 165, 40, b'/', b'/tmp', b'', 4096, 0)`,
      `('umount', 166, 39, b'/tmp', 2)`,
      `('pivot_root', 155, 41, b'/tmp', b'/tmp')`,
      `('chroot', 161, 51, b'/tmp')`,
      `('fsopen', 430, 430, b'tmpfs', 0)`,
      `('open_tree', 428, 428, -100, b'/', 1)`,
    ]),
    judge: refused,
    badSandbox: 'not-run',
  },
  namespaces: {
    program: attempt([
      `('unshare user', 272, 97, 0x10000000)`,
      `('unshare mount', 272, 97, 0x00020000)`,
      `('unshare net', 272, 97, 0x40000000)`,
      `('unshare pid', 272, 97, 0x20000000)`,
      `('unshare user and mount', 272, 97, 0x10020000)`,
      `('clone user', 56, 220, 0x10000000 | 17, 0, 0, 0, 0)`,
    ]),
    judge: refused,
    badSandbox: 'not-run',
  },
  'namespaces-of-others': {
    program: `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
taken = []
for pid in ('1', str(os.getppid())):
    for name in ('mnt', 'pid', 'net', 'user', 'ipc', 'uts', 'cgroup'):
        try: fd = os.open('/proc/' + pid + '/ns/' + name, 0)
        except OSError: continue
        if libc.setns(fd, 0) == 0: taken.append(name)
        os.close(fd)
result = taken`,
    judge: refused,
    badSandbox: 'not-run',
  },
  tracing: {
    program: attempt([
      `('ptrace seize', 101, 117, 0x4206, os.getppid(), 0, 0)`,
      `('ptrace attach', 101, 117, 16, os.getppid(), 0, 0)`,
      `('process_vm_readv', 310, 270, os.getppid(), HERE, 1, HERE, 1, 0)`,
      `('process_vm_writev', 311, 271, os.getppid(), HERE, 1, HERE, 1, 0)`,
      `('perf_event_open', 298, 241, struct.pack('=IIQQQQQ', 1, 112, 0, 0, 0, 0, 0x60) + bytes(64), 0, -1, -1, 0)`,
      `('userfaultfd', 323, 282, 1)`,
    ]),
    judge: refused,
    badSandbox: 'not-run',
  },
  'keys-and-programs': {
    program: attempt([
      `('add_key', 248, 217, b'user', b'toolwright', b'x', 1, -3)`,
      `('keyctl', 250, 219, 0, -3, 1)`,
      `('bpf', 321, 280, 0, (0x100000001).to_bytes(8, 'little') + bytes(120), 72)`,
      `('io_uring_setup', 425, 425, 4, bytes(120))`,
      `('kexec_load', 246, 104, 0, 0, 0, 0)`,
      `('fanotify_init', 300, 262, 0, 0)`,
    ]),
    judge: refused,
    badSandbox: 'not-run',
  },
  'clock-name-and-power': {
    program: attempt([
      `('sethostname', 170, 161, b'owned', 5)`,
      `('setdomainname', 171, 162, b'owned', 5)`,
      `('clock_settime', 227, 112, 0, bytes(16))`,
      `('syslog', 103, 116, 3, bytes(4096), 4096)`,
      `('iopl', 172, 1000, 3)`,
      `('setuid', 105, 146, 0)`,
      `('setgid', 106, 144, 0)`,
      `('setgroups', 116, 159, 1, bytes(4))`,
      `('mknod', 133, 1000, b'/tmp/device', 0o60600, 0x800)`,
      `('mknodat', 259, 33, -100, b'/tmp/device', 0o20600, 0x101)`,
    ]),
    judge: refused,
    badSandbox: 'not-run',
  },
  // A handle of the root of the file system behind a mount: many container escapes use it.
  'open-by-handle': {
    makeProgram: ({ secretFile }) => `import ctypes, os, platform, struct
libc = ctypes.CDLL(None, use_errno=True)
number = 265 if platform.machine() == 'aarch64' else 304
loot = []
for path in ('/', '/tmp', '/usr', '/workspace', '/etc', '/proc', '/dev'):
    for inode in (2, 128, 256):
        try: mount = os.open(path, 0)
        except OSError: continue
        fd = libc.syscall(number, mount, struct.pack('=IiQ', 8, 1, inode), 0)
        if fd < 0: continue
        try: loot.append(os.read(os.open('${secretFile}'[1:], 0, dir_fd=fd), 100))
        except OSError as error: loot.append(path)
result = loot`,
    judge: refused,
    badSandbox: 'not-run',
  },
  'memory-of-the-parent': {
    program: `import os, re
taken = []
parent = '/proc/%d/' % os.getppid()
for name, work in (('mem', lambda p: os.open(p, os.O_RDWR)), ('fd', os.listdir), ('environ', lambda p: os.open(p, 0)), ('cwd', os.readlink), ('root', os.readlink), ('map_files', os.listdir)):
    try: work(parent + name); taken.append(name)
    except OSError: pass
try:
    memory = os.open(parent + 'mem', os.O_RDWR)
    maps = os.read(os.open(parent + 'maps', 0), 1_000_000).decode()
    for start in re.findall('^([0-9a-f]+)-[0-9a-f]+ rw', maps, re.M):
        try: os.pwrite(memory, b'\\xff' * 4096, int(start, 16))
        except OSError: pass
except OSError: pass
result = taken`,
    judge: refused,
    badSandbox: 'not-run',
  },
  'settings-of-the-kernel': {
    program: `import os, stat
def masked(fd): return stat.S_ISCHR(os.fstat(fd).st_mode) and os.fstat(fd).st_rdev == os.makedev(1, 3)
taken = []
for path in ('/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname', '/proc/sys/kernel/modprobe', '/proc/sys/vm/drop_caches', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper', '/sys/kernel/mm/transparent_hugepage/enabled', '/sys/power/state', '/sys/fs/cgroup/cgroup.procs', '/sys/fs/cgroup/memory/memory.limit_in_bytes', '/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/release_agent', '/proc/self/uid_map', '/proc/self/setgroups', '/proc/kcore', '/proc/kmsg', '/proc/kallsyms', '/proc/timer_list', '/proc/acpi', '/proc/scsi'):
    # An engine may replace it by /dev/null.
    try: masked(os.open(path, os.O_WRONLY)) or taken.append(path)
    except OSError: pass
for path in ('/proc/kcore', '/proc/kmsg'):
    try:
        if os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 10): taken.append(path)
    except OSError: pass
result = taken`,
    judge: refused,
    badSandbox: 'not-run',
  },
  'descriptors-inherited': {
    program: `import os
loot = []
for fd in range(0, 256):
    for path in ('/proc/self/fd/%d' % fd, '/dev/fd/%d' % fd):
        try: loot.append(os.readlink(path))
        except OSError: pass
    try: loot.append(str(os.listdir(fd)))
    except (OSError, TypeError): pass
    try: loot.append(os.pread(fd, 2000, 0).decode('latin1'))
    except (OSError, TypeError): pass
for name in ('cwd', 'root', 'exe'):
    try: loot += [os.readlink('/proc/self/' + name), str(os.listdir('/proc/self/' + name))]
    except OSError: pass
result = loot`,
    judge: ({ result }) =>
      /vitest|canary/.test(JSON.stringify(result)) ? 'a descriptor of the host is open' : undefined,
    badSandbox: 'caught',
  },
  'mounts-and-command-lines': {
    program: `import os
loot = []
for path in ('/proc/self/mountinfo', '/proc/mounts', '/proc/self/maps', '/proc/1/cmdline', '/proc/self/cmdline', '/proc/self/cgroup', '/proc/1/mountinfo', '/proc/cmdline', '/proc/%d/cmdline' % os.getppid()):
    try:
        with os.fdopen(os.open(path, 0), 'rb') as file: loot.append(file.read().decode('latin1'))
    except OSError: pass
result = loot`,
    badSandbox: 'caught',
  },
  'limits-raised': {
    program: `import resource
taken = []
for name in ('AS', 'DATA', 'NPROC', 'FSIZE', 'NOFILE', 'CPU', 'CORE', 'STACK', 'MEMLOCK'):
    limit = getattr(resource, 'RLIMIT_' + name)
    hard = resource.getrlimit(limit)[1]
    if hard == resource.RLIM_INFINITY: continue
    try: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)); taken.append(name)
    except (OSError, ValueError): pass
result = taken`,
    judge: refused,
    badSandbox: 'not-run',
  },
  'core-dump': {
    program: `import os, resource
for folder in ('/', '/tmp', '/workspace'):
    try: os.chdir(folder)
    except OSError: pass
try: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError): pass
os.abort()`,
    badSandbox: 'not-run',
  },
  'inotify-of-everything': {
    makeProgram: ({ dir }) => `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(0o4000)
watched = [path for path in ('${dir}', '${dir}/data', '/proc/1/root${dir}') if libc.inotify_add_watch(fd, path.encode(), 0xfff) >= 0]
result = watched`,
    judge: refused,
    badSandbox: 'caught',
  },
  priorities: {
    program: `import os
taken = []
for name, work in (('nice', lambda: os.nice(-20)), ('fifo', lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))), ('init', lambda: os.setpriority(os.PRIO_PROCESS, 1, -5))):
    try: work(); taken.append(name)
    except OSError: pass
result = taken`,
    judge: refused,
    badSandbox: 'not-run',
  },
};

export default attacks;
