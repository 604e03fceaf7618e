// `node:perf_hooks`: the clock of the program.
export const { performance } = globalThis;
export default { performance };
