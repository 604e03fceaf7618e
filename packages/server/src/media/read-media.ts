import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { MediaFile } from '@toolwright/core';
import { drawSvg } from '@toolwright/core/internal';
import type { MediaBlock } from '../models/model.ts';

/** The images and recordings of a program, as a model receives them. */
interface ShownMedia {
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
type ReadElsewhere = (path: string) => Promise<Buffer | undefined>;

/** Pixels of the longer edge: more cost tokens, and models scale them down themselves. */
const LONG_EDGE = 1_568;
/** Bytes that every provider accepts in one message. */
const MAX_BYTES = 1_500_000;
/** The limit without scaling. The strictest provider accepts 5 MB of base64 and 8,000 pixels. */
const HARD_LIMIT = { bytes: 3_750_000, edge: 8_000 };
/** From the best to the smallest. */
const QUALITIES = [85, 70, 50, 30];

/** An image as a model receives it, or the reason why it cannot. */
type Scaled = { readonly bytes: Buffer; readonly mimeType: string } | { readonly problem: string };

type Sharp = typeof import('sharp')['default'];

let loading: Promise<Sharp | undefined> | undefined;

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

/** Loads `sharp`, which is not installed by default. */
function loadSharp(): Promise<Sharp | undefined> {
  loading ??= import('sharp').then(
    (module) => module.default,
    () => undefined,
  );
  return loading;
}

/**
 * Returns an image with at most 1,568 pixels at its longer edge and 1.5 MB. A larger one is scaled down with `sharp`; without that
 * package it stays as it is, up to the limits of the providers.
 */
export async function scaleImage(bytes: Buffer, mimeType: string, load = loadSharp): Promise<Scaled> {
  const edge = await longEdge(bytes);
  if (edge === undefined) return { problem: 'its size in pixels cannot be read' };
  if (edge <= LONG_EDGE && bytes.length <= MAX_BYTES) return { bytes, mimeType };
  const sharp = await load();
  if (!sharp) {
    if (edge <= HARD_LIMIT.edge && bytes.length <= HARD_LIMIT.bytes) return { bytes, mimeType };
    return { problem: `it has ${bytes.length} bytes and ${edge} pixels; to scale it down, run: npm install sharp` };
  }
  try {
    for (const quality of QUALITIES) {
      const image = sharp(bytes).rotate().resize(LONG_EDGE, LONG_EDGE, { fit: 'inside', withoutEnlargement: true });
      const { hasAlpha } = await sharp(bytes).metadata();
      const scaled = await (hasAlpha ? image.webp({ quality }) : image.jpeg({ quality })).toBuffer();
      if (scaled.length <= MAX_BYTES) return { bytes: scaled, mimeType: hasAlpha ? 'image/webp' : 'image/jpeg' };
    }
    return { problem: `it has more than ${MAX_BYTES} bytes, scaled down too` };
  } catch (error) {
    return { problem: `it cannot be scaled down (${error instanceof Error ? error.message : String(error)})` };
  }
}

/** Returns the pixels of the longer edge, from the header of the file. */
async function longEdge(bytes: Buffer): Promise<number | undefined> {
  const { imageSize } = await import('image-size');
  try {
    const { width, height } = imageSize(bytes);
    return Math.max(width, height);
  } catch {
    return undefined;
  }
}
