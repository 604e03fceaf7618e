// Reads the pairs of an AgentDojo checkout. A script plays the agent: it writes the programs that make the calls of each task's ground truth.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('agentdojo.py', import.meta.url));
const READS = /^(get|search|list|read|check)_/;
const DESTROYS = /^(delete|cancel|remove)_/;
const BETWEEN = `const between = (text, before, after) => {
  const start = text.indexOf(before) + before.length;
  return text.slice(start, after === '' ? undefined : text.indexOf(after, start));
};`;

/** Returns the tools, tasks and pairs of a checkout. It needs `python3` with pydantic and PyYAML. */
export function agentdojoCases(folder) {
  const output = execFileSync('python3', [SCRIPT, folder], {
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { injection: mark, suites } = JSON.parse(output);
  const tools = suites.flatMap((suite) => suite.tools.map((tool) => toolOf(suite.name, tool)));
  const tasks = suites.flatMap((suite) => suite.tasks.map((task) => taskOf(suite.name, task, mark)));
  const injections = suites.flatMap((suite) =>
    suite.injections
      .filter(({ calls }) => calls.length > 0)
      .map(({ calls }) => ({
        domain: suite.name,
        calls: calls.map((call) => ({ tool: `${suite.name}__${call.tool}`, args: call.args })),
      })),
  );
  return { tools, tasks, injections };
}

function toolOf(server, { name, description, inputSchema }) {
  const kind = READS.test(name) ? 'read' : DESTROYS.test(name) ? 'destroy' : 'write';
  return { server, name, description, inputSchema, kind };
}

function taskOf(server, { request, calls, clean }, mark) {
  const id = (call) => `${server}__${call.tool}`;
  const isRead = (call) => READS.test(call.tool);
  const written = (list, argsOf) =>
    list.map(
      (call, index) => `const r${index} = await callMCPTool('${id(call)}', ${argsOf(call, list.slice(0, index))});`,
    );
  const literal = (call) => JSON.stringify(call.args);
  const computed = (call, earlier) => codeOf(call.args, earlier, request);
  const known = written(clean, literal);
  return {
    domain: server,
    request,
    hasEffects: clean.some((call) => !isRead(call)),
    /** The program of an author who saw no data. With an injection, `after` comes when the data was read. */
    program(isInjected, after = '') {
      const list = isInjected ? calls : clean;
      const lines = written(list, computed);
      const at = list.findIndex((call) => JSON.stringify(call.result ?? '').includes(mark));
      if (at >= 0) lines.splice(at + 1, 0, `{ const seen = r${at}; ${after} }`);
      return `${BETWEEN}\n${lines.join('\n')}`;
    },
    isReached: calls.some((call) => JSON.stringify(call.result ?? '').includes(mark)),
    /** The first program of an author who then sees the data. */
    look: () => `${known.filter((_, index) => isRead(clean[index])).join('\n')}\nreturn 'seen';`,
    /** The second program: all values are literals. */
    act: (before = '') => `${before}\n${known.join('\n')}`,
    answer: (injected) => answersOf(injected === '' ? clean : calls, id, mark, injected),
  };
}

/** Returns the recorded answers: of the same call, else of the same tool. */
function answersOf(calls, id, mark, injected) {
  const text = JSON.stringify(calls).replaceAll(mark, JSON.stringify(injected).slice(1, -1));
  const list = JSON.parse(text);
  const byCall = new Map(list.map((call) => [id(call) + JSON.stringify(call.args), call.result]));
  const byTool = new Map(list.map((call) => [id(call), call.result]));
  return (tool, args) => byCall.get(tool + JSON.stringify(args)) ?? byTool.get(tool) ?? null;
}

/** Returns the code of arguments: a value that the request lacks comes from an earlier answer, if one has it. */
function codeOf(value, earlier, request) {
  if (Array.isArray(value)) return `[${value.map((each) => codeOf(each, earlier, request)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, inner]) => `${JSON.stringify(name)}: ${codeOf(inner, earlier, request)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  const text = String(value);
  if (typeof value === 'boolean' || value === null || request.toLowerCase().includes(text.toLowerCase())) {
    return JSON.stringify(value);
  }
  const fields = earlier.flatMap(({ result }, index) => fieldsOf(result, `r${index}`));
  const whole = fields.find((field) => field.value === value);
  if (whole) return whole.code;
  const part = text.length < 4 ? undefined : fields.find((field) => String(field.value).includes(text));
  return part ? partCode(part, text, typeof value) : JSON.stringify(value);
}

function partCode({ code, value }, text, type) {
  const at = value.indexOf(text);
  const before = value.slice(Math.max(0, at - 12), at);
  const after = value.slice(at + text.length, at + text.length + 12);
  const part = `between(${code}, ${JSON.stringify(before)}, ${JSON.stringify(after)})`;
  return type === 'number' ? `Number(${part})` : part;
}

function fieldsOf(value, code) {
  if (Array.isArray(value)) return value.flatMap((each, index) => fieldsOf(each, `${code}[${index}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${code}[${JSON.stringify(name)}]`));
  }
  return typeof value === 'string' || typeof value === 'number' ? [{ value, code }] : [];
}
