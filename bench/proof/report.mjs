// Prints the results of a run as tables of Markdown, with each difference.

const MAX_LISTED = 40;
const sum = (rows, value) => rows.reduce((total, row) => total + (value(row) ?? 0), 0);

export function printReport(sets) {
  for (const set of sets) {
    console.log(`\n## ${set.title}\n`);
    if (set.missing !== undefined) {
      console.log(`Not run: ${set.missing}.`);
      continue;
    }
    if (set.difference !== undefined) console.log(`Another checkout: ${set.difference}.\n`);
    printTasks(set.tasks);
    printVariants(set.variants);
    printTranscripts(set.transcripts);
  }
}

function printTasks(tasks) {
  const usable = tasks.filter(({ problem }) => problem === undefined);
  const failing = usable.filter(({ gold }) => gold.log.some(({ error }) => error !== undefined));
  console.log(`${tasks.length} tasks, ${usable.length} run, ${sum(usable, ({ gold }) => gold.log.length)} calls.`);
  console.log(`Gold calls fail by themselves in ${failing.length}: they are run too.`);
  for (const { id, problem } of tasks.filter((task) => task.problem !== undefined))
    console.log(`- not run: ${id}: ${problem}`);
}

function printVariants(variants) {
  console.log(
    '\n| variant | tasks | end state equal | calls lost | effects doubled | read again | questions | arguments from results | seconds |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const { title, results, seconds } of variants) {
    const figures = [
      results.length,
      results.filter(({ equal }) => equal).length,
      sum(results, ({ lost }) => lost),
      sum(results, ({ doubled }) => doubled),
      sum(results, ({ readAgain }) => readAgain),
      sum(results, ({ questions }) => questions),
      sum(results, ({ taken }) => taken),
      seconds.toFixed(0),
    ];
    console.log(`| ${title} | ${figures.join(' | ')} |`);
  }
  for (const { title, results } of variants) {
    const different = results.filter(
      ({ equal, problem, lost, doubled }) => problem !== undefined || !equal || lost + doubled > 0,
    );
    for (const { id, problem, equal, lost, doubled } of different.slice(0, MAX_LISTED))
      console.log(
        `- ${title}: ${id}: ${problem ?? `state ${equal ? 'equal' : 'different'}, ${lost} lost, ${doubled} doubled`}`,
      );
  }
}

function printTranscripts({ direct, search, program }) {
  console.log('\n| tokens of all tasks | each text once | whole context in each turn |');
  console.log('|---|---|---|');
  for (const [title, way] of [
    ['direct calls', direct],
    ['search and calls', search],
    ['one search and one program', program],
  ])
    console.log(`| ${title} | ${way.once.toLocaleString('en-US')} | ${way.resent.toLocaleString('en-US')} |`);
}
