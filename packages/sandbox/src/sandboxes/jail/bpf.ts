/** One instruction of the kernel's classic packet filter. */
export interface Instruction {
  readonly code: number;
  /** Instructions to skip when the comparison holds. */
  readonly jumpTrue: number;
  /** Instructions to skip when it does not. */
  readonly jumpFalse: number;
  readonly operand: number;
}

export const Code = { load: 0x20, and: 0x54, ifEqual: 0x15, ifAtLeast: 0x35, end: 0x06 } as const;

const INSTRUCTION_BYTES = 8;

/** Loads the 32-bit word at an offset of `struct seccomp_data`. */
export function load(offset: number): Instruction {
  return { code: Code.load, jumpTrue: 0, jumpFalse: 0, operand: offset };
}

/** Keeps only the bits of a mask. */
export function and(mask: number): Instruction {
  return { code: Code.and, jumpTrue: 0, jumpFalse: 0, operand: mask };
}

/** Skips instructions, by whether the loaded word equals the value. */
export function ifEqual(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: Code.ifEqual, jumpTrue, jumpFalse, operand: value };
}

/** Skips instructions, by whether the loaded word is at least the value, both unsigned. */
export function ifAtLeast(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: Code.ifAtLeast, jumpTrue, jumpFalse, operand: value };
}

/** Ends the program with a verdict. */
export function end(verdict: number): Instruction {
  return { code: Code.end, jumpTrue: 0, jumpFalse: 0, operand: verdict };
}

/** The program as the kernel reads it, little-endian as all machines here are. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    bytes.writeUInt16LE(code, index * INSTRUCTION_BYTES);
    // Raises when a jump is too long for its byte.
    bytes.writeUInt8(jumpTrue, index * INSTRUCTION_BYTES + 2);
    bytes.writeUInt8(jumpFalse, index * INSTRUCTION_BYTES + 3);
    bytes.writeUInt32LE(operand >>> 0, index * INSTRUCTION_BYTES + 4);
  }
  return bytes;
}
