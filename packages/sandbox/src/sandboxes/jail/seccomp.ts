import type { ArgumentCheck, SyscallPolicy } from './policy.ts';
import { SYSCALL_NUMBERS } from './syscalls.ts';

/** The architectures with known call numbers. */
export type Architecture = 'x64' | 'arm64';

/** The kernel's verdicts: `SECCOMP_RET_*`. */
export const Verdict = { allow: 0x7fff_0000, kill: 0x8000_0000, error: 0x0005_0000 } as const;

const AUDIT_ARCHITECTURE = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
/** Numbers from here on are x32 calls, which a filter of plain numbers would miss. */
const X32_CALLS = 0x4000_0000;
const EPERM = 1;
const ENOSYS = 38;
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;
const ARGUMENT_BYTES = 8;

/** One instruction of a classic BPF program. */
interface Instruction {
  readonly code: number;
  /** Instructions to skip if the comparison is true. */
  readonly jumpTrue: number;
  /** Instructions to skip if it is false. */
  readonly jumpFalse: number;
  readonly operand: number;
}

export const Code = { load: 0x20, and: 0x54, ifEqual: 0x15, ifAtLeast: 0x35, end: 0x06 } as const;

const INSTRUCTION_BYTES = 8;

/** Compiles a policy to the program for `bwrap --seccomp`. */
export function compileSeccomp(policy: SyscallPolicy, architecture: Architecture): Buffer {
  const numberOf = (call: string) => SYSCALL_NUMBERS[call]?.[architecture === 'x64' ? 0 : 1];
  const answer = (calls: readonly string[], verdict: number) =>
    calls.flatMap((call) => {
      const number = numberOf(call);
      return number === undefined ? [] : [ifEqual(number, 0, 1), end(verdict)];
    });
  return assemble([
    load(ARCHITECTURE_OFFSET),
    ifEqual(AUDIT_ARCHITECTURE[architecture], 1, 0),
    end(Verdict.kill),
    load(NUMBER_OFFSET),
    ...(architecture === 'x64' ? [ifAtLeast(X32_CALLS, 0, 1), end(Verdict.kill)] : []),
    ...policy.checked.flatMap((check) => checkArgument(check, numberOf(check.call))),
    ...answer(policy.allowed, Verdict.allow),
    ...answer(policy.refused, Verdict.error | EPERM),
    end(Verdict.error | ENOSYS),
  ]);
}

/** Returns the instructions that check the arguments of one call; other calls skip them. */
function checkArgument(
  { argument, mask, values, otherwise }: ArgumentCheck,
  number: number | undefined,
): Instruction[] {
  if (number === undefined) return [];
  const look = [
    load(ARGUMENTS_OFFSET + argument * ARGUMENT_BYTES),
    and(mask),
    ...values.map((value, index) => ifEqual(value, values.length - index, 0)),
    end(Verdict.error | otherwise),
    end(Verdict.allow),
  ];
  return [ifEqual(number, 0, look.length), ...look];
}

/** Returns an instruction that loads the 32-bit word at an offset of `struct seccomp_data`. */
function load(offset: number): Instruction {
  return { code: Code.load, jumpTrue: 0, jumpFalse: 0, operand: offset };
}

/** Returns an instruction that keeps only the bits of a mask. */
function and(mask: number): Instruction {
  return { code: Code.and, jumpTrue: 0, jumpFalse: 0, operand: mask };
}

/** Returns a jump that depends on whether the loaded word equals the value. */
function ifEqual(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: Code.ifEqual, jumpTrue, jumpFalse, operand: value };
}

/** Returns a jump that depends on whether the loaded word is at least the value, both unsigned. */
function ifAtLeast(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: Code.ifAtLeast, jumpTrue, jumpFalse, operand: value };
}

/** Returns an instruction that ends the program with a verdict. */
function end(verdict: number): Instruction {
  return { code: Code.end, jumpTrue: 0, jumpFalse: 0, operand: verdict };
}

/** Returns the program in the kernel's format. All supported machines are little-endian. */
function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    bytes.writeUInt16LE(code, index * INSTRUCTION_BYTES);
    // `writeUInt8` raises an error if a jump does not fit into its byte.
    bytes.writeUInt8(jumpTrue, index * INSTRUCTION_BYTES + 2);
    bytes.writeUInt8(jumpFalse, index * INSTRUCTION_BYTES + 3);
    bytes.writeUInt32LE(operand >>> 0, index * INSTRUCTION_BYTES + 4);
  }
  return bytes;
}
