import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../../toolwright.ts';
import { drawSvg } from './drawing.ts';
import { requirePlainSvg } from './svg.ts';

const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: 'quickjs',
  pii: { mode: 'off' },
  tools: {},
});
afterAll(() => toolwright.close());

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#f00"/></svg>';
const CHART = {
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  data: { values: [{ a: 'A', b: 28 }] },
  mark: 'bar',
  encoding: { x: { field: 'a', type: 'nominal' }, y: { field: 'b', type: 'quantitative' } },
};

/** Shows a value, and returns the file of it, or the error of the program. */
async function shown(value: unknown) {
  const result = await toolwright.execute(`await show(${JSON.stringify(value)})`, { check: false });
  const [file] = result.media ?? [];
  return file ? { ...file, text: readFileSync(file.hostPath, 'utf8') } : Object(result).error;
}

describe('an SVG', () => {
  test('is shown as it is, as a text, a file and a block', async () => {
    expect(await shown(SVG)).toMatchObject({ type: 'image', mimeType: 'image/svg+xml', text: SVG });
    expect(
      await shown({ type: 'image', mimeType: 'image/svg+xml', data: Buffer.from(SVG).toString('base64') }),
    ).toMatchObject({
      mimeType: 'image/svg+xml',
      text: SVG,
    });
    const file = await toolwright.execute(`await fs.writeFile('a.svg', ${JSON.stringify(SVG)}); await show('a.svg')`);
    expect(file.media).toMatchObject([{ type: 'image', mimeType: 'image/svg+xml' }]);
  });

  test('becomes a PNG for models, at most 1,568 pixels wide, in its colours', async () => {
    const png = await drawSvg(SVG.replace('width="40" height="20"', 'width="4000" height="2000" viewBox="0 0 40 20"'));
    if (!Buffer.isBuffer(png)) throw new Error(png.problem);
    const { width, format } = await sharp(png).metadata();
    expect([format, width]).toEqual(['png', 1568]);
    const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    expect([data[0], data[1], data[2]]).toEqual([255, 0, 0]);
    expect(await drawSvg('<svg')).toMatchObject({ problem: expect.stringContaining('cannot be drawn') });
    expect(
      await drawSvg(SVG.replace('width="40"', 'width="400000"').replace('height="20"', 'height="400000"')),
    ).toMatchObject({
      problem: expect.stringContaining('cannot be drawn'),
    });
  });

  test.each([
    ['the element <script>', '<script>alert(1)</script>'],
    ['the element <svg:script>', '<svg:script>alert(1)</svg:script>'],
    ['the element <foreignObject>', '<foreignObject/>'],
    ['the event handler onload', '<g onload="alert(1)"/>'],
    ['the external reference href="https://x.com/a.png"', '<image href="https://x.com/a.png"/>'],
    ['the external reference xlink:href="file:///etc/passwd"', "<image xlink:href='file:///etc/passwd'/>"],
    ['the external reference href="&#104;ttp://x.com"', '<use href="&#104;ttp://x.com"/>'],
    ['the external reference url(http://x.com/f)', '<rect style="fill:url(http://x.com/f)"/>'],
    ['an @import in its style', '<style>@import "http://x.com/a.css";</style>'],
  ])('with %s is refused', async (part, content) => {
    const { code, message } = await shown(SVG.replace('</svg>', `${content}</svg>`));
    expect([code, message]).toEqual([
      'INVALID_ARGUMENTS',
      `The SVG has ${part}. Remove it: a shown picture is self-contained.`,
    ]);
  });

  test('of matplotlib and with embedded pictures is not refused, and entities are', () => {
    const plain = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      <svg xmlns:xlink="http://www.w3.org/1999/xlink"><a href="https://x.com"><use xlink:href="#m"/></a><rect fill="url(#g)"/>
      <image href="data:image/png;base64,iVBORw0KGgo="/><text data-on="1">x > y</text></svg>`;
    expect(requirePlainSvg(plain)).toBe(plain);
    expect(() => requirePlainSvg('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')).toThrow('entities of its own');
  });
});

describe('a Vega-Lite chart', () => {
  test('is drawn as SVG', async () => {
    expect(await shown(CHART)).toMatchObject({
      mimeType: 'image/svg+xml',
      text: expect.stringMatching(/^<svg.*aria-label/s),
    });
  });

  test('that loads data, is wrong or is too large is refused with the reason', async () => {
    expect(await shown({ ...CHART, data: { url: 'https://x.com/data.json' } })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('data.values instead of "https://x.com/data.json"'),
    });
    expect(await shown({ ...CHART, mark: 'nothing' })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    const points = await toolwright.execute(
      `const values = Array.from({ length: 1_000_000 }, (_, n) => [n, n]);
       await show({ ...${JSON.stringify(CHART)}, data: { values } })`,
      { check: false, limits: { memoryBytes: 1024 * 1024 * 1024, timeoutMs: 300_000 } },
    );
    expect(points).toMatchObject({ status: 'failed' });
    expect(Object(points).error.message).toMatch(/values|characters/);
  });

  test('runs no code in its expressions', async () => {
    const chart = {
      ...CHART,
      transform: [{ calculate: 'constructor.constructor("return process")().exit()', as: 'c' }],
    };
    expect(await shown(chart)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});
