import sharp from 'sharp';
import { expect, test } from 'vitest';
import { scaleImage } from './read-media.ts';

const image = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 10, g: 20, b: 30, alpha: 0.5 } } });
const small = await image(1_568, 10).png().toBuffer();
const wide = await image(3_000, 100).png().toBuffer();
const transparent = await image(2_000, 100, 4).png().toBuffer();
const huge = await image(8_001, 1).png().toBuffer();
const missing = async () => undefined;

test('an image within the limits stays as it is', async () => {
  expect(await scaleImage(small, 'image/png')).toEqual({ bytes: small, mimeType: 'image/png' });
});

test('a larger one is scaled down, and keeps its transparency', async () => {
  const opaque = await scaleImage(wide, 'image/png');
  const clear = await scaleImage(transparent, 'image/png');
  if ('problem' in opaque || 'problem' in clear) throw new Error('not scaled');
  expect([opaque.mimeType, (await sharp(opaque.bytes).metadata()).width]).toEqual(['image/jpeg', 1_568]);
  expect([clear.mimeType, (await sharp(clear.bytes).metadata()).hasAlpha]).toEqual(['image/webp', true]);
});

test('without sharp, it stays as it is up to the limits of the providers', async () => {
  expect(await scaleImage(wide, 'image/png', missing)).toEqual({ bytes: wide, mimeType: 'image/png' });
  expect(await scaleImage(huge, 'image/png', missing)).toEqual({
    problem: expect.stringMatching(/8001 pixels; to scale it down, run: npm install sharp/),
  });
});

test('a damaged image is named', async () => {
  expect(await scaleImage(small.subarray(0, 12), 'image/png')).toEqual({
    problem: 'its size in pixels cannot be read',
  });
  const cut = Buffer.concat([wide.subarray(0, 60), Buffer.alloc(2_000_000)]);
  expect(await scaleImage(cut, 'image/png')).toEqual({ problem: expect.stringContaining('cannot be scaled down') });
});
