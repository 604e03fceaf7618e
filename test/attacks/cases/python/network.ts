import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'tcp-to-the-host': {
    makeProgram: ({ port }) => `import socket
loot = []
for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET, '0.0.0.0'), (socket.AF_INET6, '::1'), (socket.AF_INET6, '::ffff:127.0.0.1'), (socket.AF_INET, '10.0.2.2'), (socket.AF_INET, '172.17.0.1'), (socket.AF_INET, '192.168.65.2')):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as peer:
            peer.settimeout(0.05)
            peer.connect((address, ${port}))
            loot.append(address)
    except BaseException as error: loot.append(repr(error))
result = loot`,
    badSandbox: 'caught',
  },
  http: {
    makeProgram: ({ port }) => `import urllib.request
result = urllib.request.urlopen('http://127.0.0.1:${port}/', timeout=0.5).read()`,
    badSandbox: 'caught',
  },
  'http-client': {
    makeProgram: ({ port }) => `import http.client
connection = http.client.HTTPConnection('127.0.0.1', ${port}, timeout=0.5)
connection.request('GET', '/')
result = connection.getresponse().status`,
    badSandbox: 'caught',
  },
  'http-of-pyodide': {
    makeProgram: ({ port }) => `loot = []
try:
    from pyodide.http import open_url, pyfetch
    for work in (lambda: open_url('http://127.0.0.1:${port}/'),):
        try: loot.append(str(work().read()))
        except BaseException as error: loot.append(repr(error))
    try: loot.append(await (await pyfetch('http://127.0.0.1:${port}/')).string())
    except BaseException as error: loot.append(repr(error))
except BaseException as error: loot.append(repr(error))
result = loot`,
    badSandbox: 'not-run',
  },
  'asyncio-streams': {
    makeProgram: ({ port }) => `import asyncio
reader, writer = await asyncio.wait_for(asyncio.open_connection('127.0.0.1', ${port}), 0.5)
writer.write(b'GET / HTTP/1.0\\r\\n\\r\\n')
result = (await reader.read(100)).decode()`,
    badSandbox: 'not-run',
  },
  'unix-socket': {
    makeProgram: ({ socketPath }) => `import socket
peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
peer.connect('${socketPath}')`,
    badSandbox: 'caught',
  },
  'abstract-socket': {
    makeProgram: ({ abstractName }) => `import socket
# Some programs pad such names with zeros.
for name in ('\\0${abstractName}', '\\0${abstractName}'.ljust(108, '\\0')):
    try: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(name)
    except OSError: pass`,
    badSandbox: 'caught',
  },
  'socket-by-system-call': {
    makeProgram: ({ port }) => `import ctypes, struct, platform
libc = ctypes.CDLL(None, use_errno=True)
number, connect = (198, 203) if platform.machine() == 'aarch64' else (41, 42)
fd = libc.syscall(number, 2, 1, 0)
address = struct.pack('=H', 2) + struct.pack('>H', ${port}) + bytes([127, 0, 0, 1]) + bytes(8)
result = [fd, libc.syscall(connect, fd, address, 16), ctypes.get_errno()]`,
    badSandbox: 'caught',
  },
  names: {
    program: `import socket
loot = []
for name in ('localhost', 'example.com', 'host.docker.internal', 'gateway.docker.internal', 'metadata.google.internal'):
    try: loot.append(socket.getaddrinfo(name, 80)[0][4][0])
    except BaseException as error: pass
result = [address for address in loot if address not in ('127.0.0.1', '::1')]`,
    limits: { timeoutMs: 1_000 },
    judge: ({ result }) =>
      result.status === 'completed' && JSON.stringify(result.value) !== '[]' ? 'a name was looked up' : undefined,
    badSandbox: 'not-run',
  },
  families: {
    program: `import socket
loot = []
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try: socket.socket(family, kind, 0).close(); loot.append([family, kind])
        except OSError: pass
# Raw and packet sockets, and sockets to hypervisors and to the kernel's ciphers.
result = [pair for pair in loot if pair[1] == 3 and pair[0] in (2, 10) or pair[0] in (17, 38, 40)]`,
    judge: ({ result }) =>
      result.status === 'completed' && JSON.stringify(result.value) !== '[]'
        ? `sockets were made: ${JSON.stringify(result.value)}`
        : undefined,
    badSandbox: 'not-run',
  },
  interfaces: {
    program: `import os, socket
loot = []
try: loot += [name for _, name in socket.if_nameindex()]
except OSError: pass
for path in ('/proc/net/dev', '/proc/net/route', '/proc/net/arp', '/proc/net/unix', '/sys/class/net'):
    try: loot += os.listdir(path) if path.startswith('/sys') else os.read(os.open(path, 0), 100_000).decode().split()
    except OSError: pass
result = sorted({name for name in loot if name.startswith(('eth', 'ens', 'wlan', 'docker', 'veth', 'br-', 'toolwright-', '@toolwright-'))})`,
    judge: ({ result }) =>
      result.status === 'completed' && JSON.stringify(result.value) !== '[]' ? 'interfaces were seen' : undefined,
    badSandbox: 'not-run',
  },
};

export default attacks;
