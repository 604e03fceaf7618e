// The programs of the comparison, in the dialect of a peer. `call` writes a call as an expression, `all` a list of parallel calls.

/** The dialect of most peers: `await` and promises. */
export function asyncDialect(call) {
  return { call: (tool, args) => `await ${call(tool, args)}`, all: (one) => `await Promise.all(${one(call)})` };
}

/** Returns the programs by name. */
export function programsFor({ call, all }) {
  const many = (count, tool, args) =>
    all((plain) => `Array.from({ length: ${count} }, (_, i) => ${plain(tool, args)})`);
  return {
    first: `${call('echo', '{ value: "hello" }')}; return 1;`,
    trivial: 'return 1 + 1;',
    sequential: `let done = 0; for (let i = 0; i < 100; i++) { ${call('echo', '{ value: "hello " + i }')}; done++; } return done;`,
    waiting: `let done = 0; for (let i = 0; i < 50; i++) { ${call('wait', '{ milliseconds: 5 }')}; done++; } return done;`,
    parallel: `return (${many(500, 'echo', '{ value: "hello " + i }')}).length;`,
    slow: `return (${many(5, 'wait', '{ milliseconds: 300 }')}).length;`,
    compute: 'const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(27);',
    megabyte: `const value = ${call('fill', '{ bytes: 1000000 }')}; return JSON.stringify(value).length > 1000000 ? 1 : 0;`,
    tenMegabytes: `const value = ${call('fill', '{ bytes: 10000000 }')}; return JSON.stringify(value).length > 10000000 ? 1 : 0;`,
  };
}

/** The values that the programs return. */
export const EXPECTED = {
  ...{ trivial: 2, sequential: 100, waiting: 50, parallel: 500, slow: 5 },
  ...{ compute: 196_418, megabyte: 1, tenMegabytes: 1 },
};

/** Programs that try to reach the host. One that returns a number or a text has escaped. */
export const ESCAPES = {
  constructor: 'return this.constructor.constructor("return process")().pid;',
  error: 'try { null.x } catch (e) { return e.constructor.constructor("return process")().pid }',
  function: 'return Function("return process")().pid;',
  async: 'return (async () => {}).constructor("return process.pid")();',
  files: 'return (await import("node:fs")).readFileSync("/etc/hostname", "utf8").length;',
  request: 'return (await fetch("http://127.0.0.1:9")).status;',
};

/** Programs without an end. */
export const ENDLESS = {
  busy: 'while (true) {}',
  async: 'while (true) await null;',
  memory: 'const all = []; while (true) all.push("x".repeat(1000000) + all.length);',
};
