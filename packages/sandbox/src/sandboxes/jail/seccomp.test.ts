import { describe, expect, it } from 'vitest';
import { POLICIES } from './policy.ts';
import { type Architecture, Code, compileSeccomp, Verdict } from './seccomp.ts';
import { SYSCALL_NUMBERS } from './syscalls.ts';

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** Runs a filter as the kernel does, over `struct seccomp_data`. */
function verdictOf(program: Buffer, architecture: number, number: number, args: readonly number[]): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at * 8 < program.length; at++) {
    const code = program.readUInt16LE(at * 8);
    const [jumpTrue, jumpFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const operand = program.readUInt32LE(at * 8 + 4);
    if (code === Code.load) accumulator = data.readUInt32LE(operand);
    else if (code === Code.and) accumulator = (accumulator & operand) >>> 0;
    else if (code === Code.ifEqual) at += accumulator === operand ? jumpTrue : jumpFalse;
    else if (code === Code.ifAtLeast) at += accumulator >= operand ? jumpTrue : jumpFalse;
    else if (code === Code.end) return operand;
    else throw new Error(`unknown code ${code} at ${at}`);
  }
  throw new Error('the program ran over its end');
}

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture: Architecture) => {
  const programs = {
    javascript: compileSeccomp(POLICIES.javascript, architecture),
    python: compileSeccomp(POLICIES.python, architecture),
  };
  const numberOf = (call: string) => SYSCALL_NUMBERS[call]?.[architecture === 'x64' ? 0 : 1];
  const ask = (guest: keyof typeof programs, call: string, ...args: number[]) =>
    verdictOf(programs[guest], AUDIT[architecture], numberOf(call) ?? -1, args);

  it.each(['javascript', 'python'] as const)('decides each named call of %s by its policy', (guest) => {
    for (const call of POLICIES[guest].allowed) {
      if (numberOf(call) !== undefined) expect([call, ask(guest, call)]).toEqual([call, Verdict.allow]);
    }
    for (const call of POLICIES[guest].refused) {
      if (numberOf(call) !== undefined) expect([call, ask(guest, call)]).toEqual([call, Verdict.error | EPERM]);
    }
  });

  it.each(['javascript', 'python'] as const)('allows %s no call without a name', (guest) => {
    const named = new Set(
      [...POLICIES[guest].allowed, ...POLICIES[guest].checked.map(({ call }) => call), ...POLICIES[guest].refused].map(
        numberOf,
      ),
    );
    for (let number = 0; number < 700; number++) {
      if (named.has(number)) continue;
      expect([number, verdictOf(programs[guest], AUDIT[architecture], number, [])]).toEqual([
        number,
        Verdict.error | ENOSYS,
      ]);
    }
  });

  it('kills calls of another architecture', () => {
    const other = architecture === 'x64' ? AUDIT.arm64 : AUDIT.x64;
    for (const number of [0, 1, 60, 63]) expect(verdictOf(programs.python, other, number, [])).toBe(Verdict.kill);
    // 32-bit x86 under the same kernel.
    expect(verdictOf(programs.python, 0x4000_0003, 1, [])).toBe(Verdict.kill);
    if (architecture === 'x64') {
      expect(verdictOf(programs.python, AUDIT.x64, 0x4000_0000 + 39, [])).toBe(Verdict.kill);
    }
  });

  const refused = Verdict.error | EPERM;

  it('checks arguments', () => {
    const thread = 0x3d_0f00;
    expect(ask('javascript', 'clone', thread)).toBe(Verdict.allow);
    expect(ask('javascript', 'clone', 17)).toBe(refused);
    expect(ask('python', 'clone', 17)).toBe(Verdict.allow);
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
      expect(ask('python', 'clone', flag | 17)).toBe(refused);
      expect(ask('javascript', 'clone', flag | thread)).toBe(refused);
    }
    expect(ask('python', 'socketpair', 1)).toBe(Verdict.allow);
    for (const family of [0, 2, 10, 16, 17, 38, 40]) {
      expect(ask('python', 'socketpair', family)).toBe(Verdict.error | EAFNOSUPPORT);
    }
    expect(ask('javascript', 'mmap', 0, 4096, 3, 0x22)).toBe(Verdict.allow);
    expect(ask('javascript', 'mmap', 0, 4096, 1, 0x02, 5)).toBe(Verdict.allow);
    for (const flags of [0x21, 0x23, 0x122, 0x40022]) {
      expect(ask('javascript', 'mmap', 0, 4096, 3, flags)).toBe(refused);
    }
    expect(ask('python', 'ioctl', 0, 0x5401)).toBe(Verdict.allow);
    expect(ask('python', 'ioctl', 0, 0x5412)).toBe(refused);
    // The kernel reads 32 bits of a request. Higher bits must not hide it.
    expect(ask('python', 'ioctl', 0, 0x1_0000_5412)).toBe(refused);
    expect(ask('python', 'prctl', 4)).toBe(Verdict.allow);
    expect(ask('python', 'prctl', 8)).toBe(refused);
    expect(ask('python', 'fcntl', 3, 1031)).toBe(refused);
  });

  it('allows no process to change the limits of another one that outlives it', () => {
    for (const guest of ['javascript', 'python'] as const) {
      expect(ask(guest, 'prlimit64', 0)).toBe(Verdict.allow);
      expect(ask(guest, 'prlimit64', 2)).toBe(refused);
      expect(ask(guest, 'setpriority', 0, 2)).toBe(refused);
    }
  });

  it('allows no out-of-band data through a pair of sockets', () => {
    expect([ask('python', 'sendto', 3, 0, 0, 0), ask('python', 'sendmsg', 3, 0, 0)]).toEqual([
      Verdict.allow,
      Verdict.allow,
    ]);
    expect([ask('python', 'sendto', 3, 0, 0, 1), ask('python', 'sendmsg', 3, 0, 0x4001)]).toEqual([refused, refused]);
    expect([ask('python', 'recvfrom', 3, 0, 0, 1), ask('python', 'recvmsg', 3, 0, 1)]).toEqual([refused, refused]);
  });

  it('has at most 100 calls for JavaScript', () => {
    const { allowed, checked } = POLICIES.javascript;
    expect(allowed.length + checked.length).toBeLessThanOrEqual(100);
    expect(new Set(allowed).size).toBe(allowed.length);
  });
});

describe('the table of numbers', () => {
  it('has all names of the policies, and no others', () => {
    const named = Object.values(POLICIES).flatMap(({ allowed, checked, refused }) => [
      ...allowed,
      ...checked.map(({ call }) => call),
      ...refused,
    ]);
    expect(Object.keys(SYSCALL_NUMBERS).sort()).toEqual([...new Set(named)].sort());
  });

  it('agrees with the known numbers of both architectures', () => {
    expect(SYSCALL_NUMBERS.read).toEqual([0, 63]);
    expect(SYSCALL_NUMBERS.clone).toEqual([56, 220]);
    expect(SYSCALL_NUMBERS.execve).toEqual([59, 221]);
    expect(SYSCALL_NUMBERS.newfstatat).toEqual([262, 79]);
    expect(SYSCALL_NUMBERS.fork).toEqual([57, undefined]);
  });
});
