import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Bytes and parts that the content of one container may have left. */
export interface Room {
  bytes: number;
  parts: number;
}

/** A part of a container: a file of an archive, or its only content. */
export interface Part {
  readonly name: string;
  readonly bytes: Buffer;
}

const END_OF_CENTRAL_DIRECTORY = 0x06054b50;
const CENTRAL_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;
/** Flag of an encrypted file. */
const ENCRYPTED = 1;

/** The kind of a container by its first bytes. */
export type Kind = 'zip' | 'gzip' | 'zlib' | 'pdf' | 'closed';

/** Returns the kind of a container; undefined for other bytes. */
export function kindOf(bytes: Buffer): Kind | undefined {
  if (bytes.length >= LOCAL_BYTES && bytes.readUInt32LE(0) === LOCAL_HEADER) return 'zip';
  if (bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8) return 'gzip';
  if (bytes.subarray(0, 5).equals(PDF)) return 'pdf';
  if (CLOSED.test(bytes.toString('hex', 0, CLOSED_BYTES))) return 'closed';
  const isZlib = bytes.length > 8 && bytes[0] === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(bytes[1] ?? 0);
  return isZlib ? 'zlib' : undefined;
}

const PDF = Buffer.from('%PDF-');
/** The first bytes of bzip2, xz, 7-Zip, RAR, Zstandard and of office files before 2007, in hexadecimal. They are not opened. */
const CLOSED = /^(?:425a683[1-9]314159265359|fd377a585a00|377abcaf271c|526172211a07|28b52ffd|d0cf11e0a1b11ae1)/;
const CLOSED_BYTES = 10;

/** Returns the parts of a container. Raises an error if one cannot be read, or if it exceeds the remaining capacity. */
export function partsOf(bytes: Buffer, kind: Exclude<Kind, 'pdf'>, room: Room): Part[] {
  if (kind === 'closed') throw new RangeError('Content of this kind is not opened.');
  if (kind === 'zip') return filesOf(bytes, room);
  const inflate = kind === 'gzip' ? gunzipSync : inflateSync;
  return [{ name: '', bytes: taken(inflate(bytes, { maxOutputLength: Math.max(1, room.bytes) }), room) }];
}

/** Counts the bytes of a part. Raises an error if it exceeds the remaining capacity. */
export function taken(bytes: Buffer, room: Room): Buffer {
  room.bytes -= bytes.length;
  room.parts -= 1;
  if (room.bytes < 0 || room.parts < 0) throw new RangeError('The content is too large.');
  return bytes;
}

function filesOf(bytes: Buffer, room: Room): Part[] {
  let end = bytes.length - END_BYTES;
  const first = Math.max(0, end - MAX_COMMENT_BYTES);
  while (end >= first && bytes.readUInt32LE(end) !== END_OF_CENTRAL_DIRECTORY) end--;
  if (end < first) throw new RangeError('The archive has no directory.');
  const count = bytes.readUInt16LE(end + 10);
  const files: Part[] = [];
  for (let at = bytes.readUInt32LE(end + 16), index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== CENTRAL_HEADER) throw new RangeError('The directory of the archive is damaged.');
    const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)];
    const [size, nameBytes] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)];
    const name = bytes.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
    const local = bytes.readUInt32LE(at + 42);
    const from = local + LOCAL_BYTES + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const stored = bytes.subarray(from, from + size);
    if ((flags & ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED) || stored.length < size) {
      throw new RangeError('A file of the archive cannot be read.');
    }
    const content = method === STORED ? stored : inflateRawSync(stored, { maxOutputLength: Math.max(1, room.bytes) });
    files.push({ name, bytes: taken(content, room) });
    at += CENTRAL_BYTES + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}
