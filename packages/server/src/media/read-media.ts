import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { MediaFile } from '@toolwright/core';
import { drawSvg } from '@toolwright/core/internal';
import type { MediaBlock } from '../models/model.ts';
import { scaleImage } from './scale.ts';

/** The images and recordings of a program, as a model receives them. */
export interface ShownMedia {
  readonly blocks: readonly MediaBlock[];
  /** One line for each file that the model does not see, with the reason. */
  readonly notes: readonly string[];
  /** The files that the model does not see, and drawings. Clients may read them. */
  readonly links: readonly MediaFile[];
}

const SVG = 'image/svg+xml';
/** A larger file is named only. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Models do not scale recordings down. */
const MAX_AUDIO_BYTES = 5_000_000;

/** Reads a file of an execution that another machine has; undefined for one that was removed. */
export type ReadElsewhere = (path: string) => Promise<Buffer | undefined>;

/** Reads the images and recordings of an execution as content blocks, scaled down where they are too large for a model. */
export async function readMedia(files: readonly MediaFile[], readElsewhere: ReadElsewhere): Promise<ShownMedia> {
  const blocks: MediaBlock[] = [];
  const notes: string[] = [];
  const links: MediaFile[] = [];
  for (const file of files) {
    const read = await readBlock(file, readElsewhere);
    if (!('problem' in read)) {
      blocks.push(read);
      // The model sees a picture of the drawing, and people the drawing.
      if (file.mimeType === SVG) links.push(file);
    } else {
      notes.push(`${file.path} is not shown: ${read.problem}.`);
      if (!read.isGone) links.push(file);
    }
  }
  return { blocks, notes, links };
}

/** Why a model does not see a file, and whether it is not there any more. */
interface Unread {
  readonly problem: string;
  readonly isGone?: true;
}

async function readBlock(file: MediaFile, readElsewhere: ReadElsewhere): Promise<MediaBlock | Unread> {
  const { type, mimeType } = file;
  if (type === 'file') return { problem: `it is a file of the type ${mimeType} with ${file.bytes} bytes` };
  const isTooLarge = file.bytes > MAX_FILE_BYTES;
  const bytes = isTooLarge ? undefined : ((await readStored(file)) ?? (await readElsewhere(file.path)));
  if (!bytes) return { problem: `it was changed or removed, or has more than ${MAX_FILE_BYTES} bytes`, isGone: true };
  if (type === 'audio') {
    if (bytes.length > MAX_AUDIO_BYTES)
      return { problem: `it has ${bytes.length} bytes; the limit for recordings is ${MAX_AUDIO_BYTES}` };
    return { type, mimeType, data: bytes.toString('base64') };
  }
  const drawn = mimeType === SVG ? await drawSvg(bytes.toString()) : bytes;
  if ('problem' in drawn) return drawn;
  const scaled = await scaleImage(drawn, drawn === bytes ? mimeType : 'image/png');
  if ('problem' in scaled) return scaled;
  return { type, mimeType: scaled.mimeType, data: scaled.bytes.toString('base64') };
}

/** Reads a file that a program may have replaced meanwhile: follows no link, and reads no other size. */
async function readStored({ hostPath, bytes }: MediaFile): Promise<Buffer | undefined> {
  try {
    await using file = await open(
      hostPath,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== bytes || stats.size > MAX_FILE_BYTES) return undefined;
    return await file.readFile();
  } catch {
    return undefined;
  }
}
