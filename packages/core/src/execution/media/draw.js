// The program of a process that draws one picture: an SVG as PNG, or a Vega-Lite chart as SVG. It has no environment, and the host
// limits its memory and its time. Expressions of charts are interpreted, never compiled, and nothing is loaded.
import process from 'node:process';

/** Pixels of the longer edge of a picture: models scale larger ones down themselves. */
const LONG_EDGE = 1_568;
const MAX_PIXELS = 64_000_000;

/** @param {{ svg: string } | { chart: Record<string, any> }} request */
async function draw(request) {
  return 'svg' in request ? { png: await pngOf(request.svg) } : { svg: await svgOf(request.chart) };
}

/** @param {string} svg */
async function pngOf(svg) {
  const { default: sharp } = await import('sharp');
  const size = { width: LONG_EDGE, height: LONG_EDGE, fit: /** @type {const} */ ('inside'), withoutEnlargement: true };
  const image = sharp(Buffer.from(svg), { limitInputPixels: MAX_PIXELS }).resize(size).flatten({ background: '#fff' });
  return (await image.png().toBuffer()).toString('base64');
}

/** @param {Record<string, any>} chart */
async function svgOf(chart) {
  const [vega, { compile }, { expressionInterpreter }] = await Promise.all([
    import('vega'),
    import('vega-lite'),
    import('vega-interpreter'),
  ]);
  const spec = /\/vega-lite\//.test(chart.$schema)
    ? compile(/** @type {any} */ (chart), { logger: quiet(vega) }).spec
    : chart;
  /** @type {string | undefined} */
  let problem;
  const refuse = async (/** @type {unknown} */ uri) => {
    problem ??= `a chart loads no data: give the values in data.values instead of ${JSON.stringify(uri)}`;
    throw new Error(problem);
  };
  const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
  const runtime = vega.parse(/** @type {any} */ (spec), undefined, { ast: true });
  const logger = quiet(vega, (text) => {
    problem ??= text;
  });
  const view = new vega.View(runtime, {
    expr: expressionInterpreter,
    loader: /** @type {any} */ (loader),
    logger,
    renderer: 'none',
  });
  const svg = await view.toSVG();
  if (problem !== undefined) throw new Error(problem);
  return svg;
}

/** @param {any} vega @param {(text: string) => void} [onError] */
function quiet(vega, onError = () => undefined) {
  const logger = vega.logger(vega.None);
  logger.error = (/** @type {unknown[]} */ ...texts) => {
    onError(texts.map((text) => (text instanceof Error ? text.message : String(text))).join(' '));
    return logger;
  };
  return logger;
}

process.once('message', async (request) => {
  const answer = await draw(/** @type {any} */ (request)).catch((error) => ({
    problem: String(error?.message ?? error),
    isMissing: error?.code === 'ERR_MODULE_NOT_FOUND',
  }));
  process.send?.(answer, () => process.exit());
});
process.once('disconnect', () => process.exit());
