// Runs programs in a peer, so that the benchmark can kill it. Arguments: the adapter of `bench/peers`, and as JSON its server and settings.
const [adapter, ...texts] = process.argv.slice(2);
const { open } = await import(`../peers/adapters/${adapter}.mjs`);
const opened = await open(...texts.map((text) => JSON.parse(text)));

const LIMIT_MS = 120_000;
const outcomeOf = (code) =>
  opened.run(code, LIMIT_MS).then(
    (value) => ({ status: 'completed', value }),
    (error) => ({ status: 'failed', error: String(error.message ?? error) }),
  );
/** No peer continues a program of an ended process: its user can only run it again. */
const actions = { run: outcomeOf, resume: outcomeOf, close: () => opened.close() };

process.on('message', async ({ number, code, ...request }) => {
  process.send({ number, result: await actions[request.do](code) });
});
process.on('disconnect', () => process.exit());
process.send({ number: 0, result: opened.dialect.call('TOOL', 'ARGUMENTS') });
