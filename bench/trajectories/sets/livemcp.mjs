// The recorded runs of LiveMCPBench: a model that searches the tools of real MCP servers and calls them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stepsOf } from './steps.mjs';

const RUNS = 'baseline/output/claude-sonnet-4-20250514_Qwen3-Embedding-0.6B.json';
/** A result as Python prints it. LiveMCPBench cuts it at 10,000 characters. */
const PRINTED = /^meta=None content=\[TextContent\(type='text', text=(['"])([\s\S]*)$/;
const ENDS = { "'": /', annotations=None\)[\s\S]*$/, '"': /", annotations=None\)[\s\S]*$/ };
const ESCAPES = { n: '\n', t: '\t', r: '\r' };

/** Returns the catalog and the trajectories. */
export function readLiveMcp(checkout) {
  const read = (file) => JSON.parse(readFileSync(join(checkout, file), 'utf8'));
  const catalog = read('tools/LiveMCPTool/tools.json').flatMap(({ tools }) =>
    Object.entries(tools).flatMap(([server, { tools: list }]) =>
      list.map(({ name, description, inputSchema }) => ({ server, name, description: description ?? '', inputSchema })),
    ),
  );
  const trajectories = read(RUNS).map(({ task_id: id, messages }) => ({
    ...{ id, system: '' },
    steps: stepsOf(messages, catalog, { entryOf, resultOf }),
  }));
  return { catalog, trajectories };
}

function entryOf(name, args) {
  if (name !== 'route') return { server: args.server_name, name: args.tool_name, arguments: args.params ?? {} };
  const [, server = '', tool = ''] =
    /server: (.*)\n\s*tool: ([\s\S]*?)\s*(?:<\/tool_assistant>|$)/.exec(args.query) ?? [];
  return { query: `${server} ${tool}`.trim() || args.query };
}

/** Returns the text of the answer of a server, which is JSON in a Python text. */
function resultOf(content) {
  const [, quote, rest] = PRINTED.exec(content) ?? [];
  if (quote === undefined) return { text: content, isError: true };
  const answer = unescaped(rest.replace(ENDS[quote], ''));
  const isError = answer.includes('"isError": true') || !answer.startsWith('{');
  try {
    const blocks = JSON.parse(answer).content;
    return { text: blocks.map((block) => block.text ?? JSON.stringify(block)).join('\n'), isError };
  } catch {
    return { text: firstText(answer), isError };
  }
}

const unescaped = (text) =>
  text.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([\s\S]))/g, (_, two, four, eight, one) =>
    one === undefined ? String.fromCodePoint(Number.parseInt(two ?? four ?? eight, 16)) : (ESCAPES[one] ?? one),
  );

/** Returns the first text of an answer whose end is cut off. */
function firstText(answer) {
  const [, text] = /"text": "((?:[^"\\]|\\[\s\S])*)/.exec(answer) ?? [];
  if (text === undefined) return answer;
  return JSON.parse(`"${text.replace(/\\u[\da-f]{0,3}$/, '')}"`);
}
