// The own pairs in the form of the benchmark.
import { INJECTIONS, TASKS } from './cases.mjs';
import { dataOf, TOOLS } from './domains.mjs';

const text = { type: 'string' };

/** Returns a plain call in Python. */
const inPython = (code) =>
  code
    .replace(/^const /, '')
    .replaceAll('callMCPTool', 'call_mcp_tool')
    .replace(/;$/, '');

/** Returns the tools, tasks and injections of the four own domains. */
export function ownCases() {
  const tools = Object.entries(TOOLS).flatMap(([server, list]) =>
    list.map(([name, parameters, kind]) => ({
      server,
      name,
      description: name.replaceAll('_', ' '),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((each) => [each, each === 'amount' ? { type: 'number' } : text])),
        required: parameters,
      },
      kind,
    })),
  );
  const dataNames = new Map(
    Object.entries(TOOLS).flatMap(([server, list]) => list.map(([name, , , data]) => [`${server}__${name}`, data])),
  );
  const tasks = TASKS.map(({ domain, request, reads, acts, knows, python }) => ({
    domain,
    request,
    hasEffects: acts !== '',
    program: (_isInjected, after = '') => `${reads}\n${after}\n${acts}`,
    python: {
      program: (after = '') => `${inPython(reads)}\n${after}\n${python ?? inPython(acts)}`,
      look: () => `${inPython(reads)}\nresult = seen`,
      act: (before = '') => `${inPython(reads)}\n${before}\n${knows ? inPython(knows) : (python ?? inPython(acts))}`,
    },
    isReached: true,
    look: () => `${reads} return seen;`,
    act: (before = '') => `${reads}\n${before}\n${knows ?? acts}`,
    answer: (injected) => {
      const data = dataOf(injected);
      return (tool) => data[dataNames.get(tool)] ?? { ok: true };
    },
  }));
  const injections = INJECTIONS.map(({ domain, tool, args }) => ({ domain, calls: [{ tool, args }] }));
  return { tools, tasks, injections };
}
