/** The end of a vitest file: it answers the requests of the program. */
export const TYPESCRIPT_RUNTIME = `// Dates have no other time zone than in a sandbox.
process.env.TZ = 'UTC';

class ToolError extends Error {}

/** Answers requests from the journal: in the recorded order, as far as the program has asked. */
function openJournal() {
  const left = RECORDED.map((entry) => ({ ...entry, key: keyOf(entry.request) }));
  const waiting = new Map();
  const calls = [];
  const nextTurn = globalThis.setImmediate;
  const turn = () => {
    const next = left.find((entry) => waiting.has(entry));
    if (!next) return;
    left.splice(left.indexOf(next), 1);
    waiting.get(next)(next);
    waiting.delete(next);
    nextTurn(turn);
  };
  const ask = (...request) => {
    const [operation, tool, args] = dataOf(request);
    if (operation === 'call') calls.push([tool, args]);
    const key = keyOf(request);
    const entry = left.find((each) => !waiting.has(each) && each.key === key);
    if (!entry) return Promise.reject(new Error('The journal has no answer to ' + JSON.stringify(dataOf(request))));
    nextTurn(turn);
    return new Promise((resolve) => waiting.set(entry, resolve)).then(({ ok, answer }) => {
      if (ok) return answer;
      const { name, message, code, details } = answer;
      throw Object.assign(new ToolError(message), { name, code, details });
    });
  };
  return { ask, calls };
}

/** Returns the same text for the same request, in any order of its members. */
function keyOf(request) {
  const inOrder = (_key, value) =>
    value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
  return JSON.stringify(dataOf(request), inOrder);
}

/** Returns JSON data. A BigInt beyond 2^53 becomes the text of its digits, as in the journal. */
function dataOf(value) {
  return JSON.parse(JSON.stringify(value, withoutBigInt));
}

function withoutBigInt(_key, value) {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function recordedCalls() {
  const calls = RECORDED.filter(({ request }) => request[0] === 'call').sort((a, b) => a.id - b.id);
  return calls.map(({ request: [, tool, args] }) => [tool, args]);
}

/** Creates the API of programs. */
function createApi(ask) {
  const sleep = (milliseconds) => ask('sleep', Math.max(0, Number(milliseconds) || 0)).then(() => undefined);
  const parseJSON = (value) =>
    typeof value === 'string' ? JSON.parse(value.replace(/^\\s*\`\`\`\\w*\\n([\\s\\S]*?)\\n?\`\`\`\\s*$/, '$1')) : value;
  const timestamp = () => new Date().toISOString();
  const details = (name, ...category) => ask('details', name, ...category).then(toolDetails);
  const stopped = new Set();
  let timers = 0;
  const timer = (repeats) => (task, delay, ...values) => {
    const id = ++timers;
    const wait = () =>
      void ask('sleep', Math.max(0, Number(delay) || 0)).then(() => {
        if (stopped.has(id)) return;
        if (repeats) wait();
        task(...values);
      });
    wait();
    return id;
  };
  const stop = (id) => void stopped.add(id);
  return {
    callMCPTool: async (tool, args = {}, options = undefined) => ask('call', tool, args, ...(options?.raw === true ? ['raw'] : [])),
    list_mcp_tools: (filter) => ask('list', filter),
    get_mcp_tool_details: details,
    get_tool_definition: details,
    search_tools: createSearch(ask),
    ...createResourceFunctions((payload) => ask(...JSON.parse(payload)), ask),
    extract: (text, schema) => ask('extract', text, schema),
    execution: (id, ...part) => ask('execution', id, ...part),
    load_skill: (name) => ask('skillText', name),
    show: (what) => ask('show', what),
    pii: createPii(ask),
    fs: createFiles(ask, () => ({
      toBase64: (bytes) => Buffer.from(bytes).toString('base64'),
      fromBase64: (text) => new Uint8Array(Buffer.from(text, 'base64')),
    }), (operation) => {
      throw new Error('An exported test answers fs in order: use the promises of fs instead of ' + operation + ' at once.');
    }),
    utils: { sleep, parseJSON, timestamp },
    ...{ sleep, parseJSON, timestamp, progress: () => undefined },
    ...{ setTimeout: timer(false), setInterval: timer(true) },
    setImmediate: (task, ...values) => timer(false)(task, 0, ...values),
    ...{ clearTimeout: stop, clearInterval: stop, clearImmediate: stop },
  };
}

/** Returns the end of the program, as data. */
async function outcomeOf(main) {
  try {
    let value = await main();
    if (typeof value === 'function' && !/^class\\b/.test(Function.prototype.toString.call(value))) value = await value();
    return { status: 'completed', ...(value === undefined ? {} : { value: JSON.parse(JSON.stringify(value, plain)) }) };
  } catch (thrown) {
    const isError = thrown instanceof Error;
    const text = typeof thrown === 'string' ? thrown : JSON.stringify(thrown);
    const message = isError ? thrown.message : 'The program threw ' + typeof thrown + ': ' + text;
    const outcome = { status: 'failed', name: isError ? thrown.name : 'Error' };
    return 'message' in EXPECTED || EXPECTED.status !== 'failed' ? { ...outcome, message } : outcome;
  }
}

function plain(_key, value) {
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  return withoutBigInt(_key, value);
}
`;
