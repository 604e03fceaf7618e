// Draws the results as SVG: a row for each sandbox, language and redaction, a column for each fault. A cell counts the run tasks of all
// sets. It also counts those that reach the end state of direct calls without a lost or doubled effect. Refused tasks have not run.
import { isDifferent } from './report.mjs';
import { FAULTS } from './variants.mjs';

const LEFT = 230;
const CELL = { width: 110, height: 34 };
const TOP = 40;
const COLORS = { all: '#2f855a', some: '#c05621', none: '#a0aec0' };

/** Returns the picture as a text. */
export function pictureOf(sets) {
  const cells = new Map();
  for (const { variants = [] } of sets)
    for (const { title, fault, results } of variants) {
      const row = title.split(', ').slice(0, -1).join(', ');
      const cell = cells.get(`${row} ${fault}`) ?? { run: 0, right: 0, different: 0 };
      cell.run += results.length;
      cell.different += results.filter(isDifferent).length;
      cell.right += results.filter((result) => !isDifferent(result) && result.refused === undefined).length;
      cells.set(`${row} ${fault}`, cell);
    }
  const rows = [
    ...new Set(
      sets.flatMap(({ variants = [] }) => variants.map(({ title }) => title.split(', ').slice(0, -1).join(', '))),
    ),
  ];
  const head = FAULTS.map((fault, index) => text(LEFT + (index + 0.5) * CELL.width, TOP - 14, nameOf(fault), 'middle'));
  const body = rows.flatMap((row, index) => [
    text(LEFT - 12, TOP + (index + 0.6) * CELL.height, row, 'end'),
    ...FAULTS.map((fault, column) => box(column, index, cells.get(`${row} ${fault}`))),
  ]);
  const [width, height] = [LEFT + FAULTS.length * CELL.width + 10, TOP + rows.length * CELL.height + 10];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    '<title>Tasks with the end state of direct calls, by variant and fault. Green: the check refused the others, and none differs</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...head,
    ...body,
    '</svg>\n',
  ].join('\n');
}

const nameOf = (fault) => (fault === 'none' ? 'no fault' : fault);

function text(x, y, words, anchor, color = '#1a202c') {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${color}">${words}</text>`;
}

function box(column, row, { run, right, different } = { run: 0, right: 0, different: 0 }) {
  const [x, y] = [LEFT + column * CELL.width, TOP + row * CELL.height];
  const color = run === 0 ? COLORS.none : different === 0 ? COLORS.all : COLORS.some;
  const label = run === 0 ? 'not run' : `${right} of ${run}`;
  return [
    `<rect x="${x + 2}" y="${y + 2}" width="${CELL.width - 4}" height="${CELL.height - 4}" rx="4" fill="${color}"/>`,
    text(x + CELL.width / 2, y + CELL.height * 0.62, label, 'middle', '#ffffff'),
  ].join('\n');
}
