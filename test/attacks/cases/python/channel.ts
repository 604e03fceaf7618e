import type { Attacks } from '../../attack.ts';
import { RAW_CHANNEL } from '../../preludes.ts';

/**
 * Returns Python that writes one frame with a number of empty objects, three bytes each. `head` starts its JSON text.
 */
const MANY_VALUES = `${RAW_CHANNEL}
def many(kind, number, head, tail, count):
    write(struct.pack('>IBI', 5 + len(head) + len(tail) + 3 * count - 1, kind, number) + head)
    for i in range(count // 500_000 - 1): write(b'{},' * 500_000)
    write((b'{},' * 500_000)[:-1] + tail)
`;
/** Maximum bytes of one message of a guest, and of its frame. */
const [MESSAGE, FRAME] = [11_000_000, 33_000_000];
const FLOOD = { timeoutMs: 1_500 };

const attacks: Attacks = {
  'outcome-of-many-values': {
    program: `${MANY_VALUES}
many(DONE, 1, b'{"a":[', b']}', ${FRAME})
time.sleep(0.5)`,
    badSandbox: 'not-run',
  },
  'ready-of-many-values': {
    program: `${MANY_VALUES}
many(READY, 0, b'{"a":[', b']}', ${FRAME})
result = 'real'`,
    badSandbox: 'not-run',
  },
  'request-of-many-values': {
    program: `${MANY_VALUES}
for i in range(3): many(REQUEST, i, b'["list",[', b']]', ${MESSAGE})
time.sleep(0.5)`,
    badSandbox: 'not-run',
  },
  'frame-in-single-bytes': {
    program: `${RAW_CHANNEL}
write(struct.pack('>IBI', 90_000_000, REQUEST, 1))
while True: write(b'x')`,
    limits: FLOOD,
    badSandbox: 'not-run',
  },
  'answers-not-read': {
    program: `${RAW_CHANNEL}
one = frame(REQUEST, 1, '["list"]') * 1_000
while True: write(one)`,
    limits: FLOOD,
    badSandbox: 'not-run',
  },
  'modules-at-once': {
    program: `${RAW_CHANNEL}
write_file('large.py', '#' + 'x' * 500_000)
one = frame(REQUEST, 1, '["module","/workspace/large.py"]') * 1_000
while True: write(one)`,
    limits: FLOOD,
    badSandbox: 'not-run',
  },
  'empty-frames': {
    program: `${RAW_CHANNEL}
number = 0
while True:
    write(b''.join(frame(REQUEST, number + i, '') + frame(5, 0, '') for i in range(1_000)))
    number += 1_000`,
    limits: FLOOD,
    badSandbox: 'not-run',
  },
  'half-a-frame': {
    program: `${RAW_CHANNEL}
write(frame(DONE, 0, '"real"') + struct.pack('>IBI', 60_000, READY, 0) + b'{"secret":"')
time.sleep(1)`,
    badSandbox: 'not-run',
  },
  'reader-left-behind': {
    program: `${RAW_CHANNEL}
import signal
if hasattr(os, 'fork') and os.fork() == 0:
    os.setsid()
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    end = time.time() + 20
    while time.time() < end:
        for fd in channels():
            try: os.read(fd, 100_000)
            except OSError: pass
            write(frame(DONE, 0, '"stolen"'))
result = 'real'`,
    badSandbox: 'not-run',
  },
  'descriptors-passed-to-the-host': {
    program: `${RAW_CHANNEL}
import array, socket
passed = [socket.SOL_SOCKET, getattr(socket, 'SCM_RIGHTS', 1), array.array('i', [0] * 100)]
for fd in channels():
    with socket.socket(fileno=os.dup(fd)) as channel:
        for i in range(1_000):
            try: channel.sendmsg([frame(5, 0, '["progress",1]')], [tuple(passed)])
            except OSError: time.sleep(0.001)
result = 'real'`,
    badSandbox: 'not-run',
  },
  'bytes-out-of-band': {
    program: `${RAW_CHANNEL}
import socket
for fd in channels():
    with socket.socket(fileno=os.dup(fd)) as channel:
        for i in range(100):
            try: channel.send(b'x', socket.MSG_OOB)
            except OSError: break
result = 'real'`,
    badSandbox: 'not-run',
  },
};

export default attacks;
