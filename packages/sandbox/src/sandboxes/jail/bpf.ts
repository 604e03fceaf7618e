/** One instruction of a classic BPF program. */
export interface Instruction {
  readonly code: number;
  /** Instructions to skip if the comparison is true. */
  readonly jumpTrue: number;
  /** Instructions to skip if it is false. */
  readonly jumpFalse: number;
  readonly operand: number;
}

export const Code = { load: 0x20, and: 0x54, ifEqual: 0x15, ifAtLeast: 0x35, end: 0x06 } as const;

const INSTRUCTION_BYTES = 8;

/** Returns an instruction that loads the 32-bit word at an offset of `struct seccomp_data`. */
export function load(offset: number): Instruction {
  return { code: Code.load, jumpTrue: 0, jumpFalse: 0, operand: offset };
}

/** Returns an instruction that keeps only the bits of a mask. */
export function and(mask: number): Instruction {
  return { code: Code.and, jumpTrue: 0, jumpFalse: 0, operand: mask };
}

/** Returns a jump that depends on whether the loaded word equals the value. */
export function ifEqual(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: Code.ifEqual, jumpTrue, jumpFalse, operand: value };
}

/** Returns a jump that depends on whether the loaded word is at least the value, both unsigned. */
export function ifAtLeast(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: Code.ifAtLeast, jumpTrue, jumpFalse, operand: value };
}

/** Returns an instruction that ends the program with a verdict. */
export function end(verdict: number): Instruction {
  return { code: Code.end, jumpTrue: 0, jumpFalse: 0, operand: verdict };
}

/** Returns the program in the kernel's format. All supported machines are little-endian. */
export function assemble(program: readonly Instruction[]): Buffer {
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
