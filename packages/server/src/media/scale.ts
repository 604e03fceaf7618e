/** Pixels of the longer edge: more cost tokens, and models scale them down themselves. */
const LONG_EDGE = 1_568;
/** Bytes that every provider accepts in one message. */
const MAX_BYTES = 1_500_000;
/** The limit without scaling. The strictest provider accepts 5 MB of base64 and 8,000 pixels. */
const HARD_LIMIT = { bytes: 3_750_000, edge: 8_000 };
/** From the best to the smallest. */
const QUALITIES = [85, 70, 50, 30];

/** An image as a model receives it, or the reason why it cannot. */
export type Scaled = { readonly bytes: Buffer; readonly mimeType: string } | { readonly problem: string };

type Sharp = typeof import('sharp')['default'];

let loading: Promise<Sharp | undefined> | undefined;

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
