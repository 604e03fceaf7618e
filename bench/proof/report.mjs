// Prints the results of a run as tables of Markdown, with each difference.
import { percentiles } from '../measure.mjs';

const MAX_LISTED = 40;
const sum = (rows, value) => rows.reduce((total, row) => total + (value(row) ?? 0), 0);
/** Returns whether the effects of a task differ from those of direct calls. One that Toolwright rightly refused is counted apart. */
export const isDifferent = ({ problem, equal, lost, doubled, refused }) =>
  refused === undefined && (problem !== undefined || !equal || lost + doubled > 0);

export function printReport(sets) {
  for (const set of sets) {
    console.log(`\n## ${set.title}\n`);
    if (set.missing !== undefined) {
      console.log(`Not run: ${set.missing}.`);
      continue;
    }
    if (set.problem !== undefined) console.log(`Another checkout: ${set.problem}.\n`);
    printTasks(set);
    printVariants(set.variants);
    printTranscripts(set.transcripts);
  }
}

function printTasks({ all, direct, variants }) {
  const usable = direct.filter(({ problem }) => problem === undefined);
  const failing = usable.filter(({ gold }) => gold.log.some(({ error }) => error !== undefined));
  const calls = sum(usable, ({ gold }) => gold.log.length);
  console.log(`${all} tasks, ${direct.length} of them chosen, ${usable.length} run, ${calls} calls.`);
  console.log(`Gold calls fail by themselves in ${failing.length}: they are run too.`);
  const refusals = new Map(
    variants.flatMap(({ results }) => results.flatMap(({ id, refused }) => (refused ? [[id, refused]] : []))),
  );
  for (const [id, refused] of refusals) console.log(`- refused: ${id}: ${refused}`);
  for (const { id, problem } of direct.filter((task) => task.problem !== undefined))
    console.log(`- not run: ${id}: ${problem}`);
}

function printVariants(variants) {
  const head = [
    'variant',
    'tasks',
    'refused',
    'end state equal',
    'calls lost',
    'effects doubled',
    'read again',
    'questions',
  ];
  console.log(`\n| ${[...head, 'arguments from results', 'ms, p50'].join(' | ')} |`);
  console.log(`|---|${'---:|'.repeat(head.length + 1)}`);
  for (const { title, results, missing } of variants) {
    const cells = missing ? [`not run: ${missing}`] : figuresOf(results);
    console.log(`| ${title} | ${cells.join(' | ')} |`);
  }
  for (const { title, results } of variants)
    for (const { id, problem, equal, lost, doubled } of results.filter(isDifferent).slice(0, MAX_LISTED))
      console.log(
        `- ${title}: ${id}: ${problem ?? `state ${equal ? 'equal' : 'different'}, ${lost} lost, ${doubled} doubled`}`,
      );
}

function figuresOf(all) {
  const results = all.filter(({ refused }) => refused === undefined);
  return [
    all.length,
    all.length - results.length,
    results.filter(({ equal }) => equal).length,
    sum(results, ({ lost }) => lost),
    sum(results, ({ doubled }) => doubled),
    sum(results, ({ readAgain }) => readAgain),
    sum(results, ({ questions }) => questions),
    sum(results, ({ taken }) => taken),
    results.length === 0 ? '–' : Math.round(percentiles(results.map(({ ms }) => ms)).p50),
  ];
}

function printTranscripts({ direct, search, program }) {
  console.log('\n| tokens of all tasks | each text once | whole context in each turn | cost with a cache |');
  console.log('|---|---:|---:|---:|');
  for (const [title, { once, resent, cached }] of [
    ['direct calls', direct],
    ['search and calls', search],
    ['one search and one program', program],
  ])
    console.log(`| ${title} | ${[once, resent, cached].map((count) => count.toLocaleString('en-US')).join(' | ')} |`);
}
