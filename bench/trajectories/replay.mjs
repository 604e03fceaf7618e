// A Toolwright whose tools answer with recorded results.
import { isDeepStrictEqual } from 'node:util';
import { createToolwright } from 'toolwright';
import { resultValue } from './flow.mjs';

const UNEXPECTED = 'This call is not the next one of the record';

/**
 * Opens a Toolwright with the tools of a catalog. `expect` sets the calls that come next: each tool answers with the recorded result. Another
 * call fails with the text `UNEXPECTED`.
 */
export async function openReplay(catalog, dataDir, limits = {}) {
  let expected = [];
  const answer = (server, name) => (args) => {
    const next = expected.shift();
    if (next?.server !== server || next.name !== name || !isDeepStrictEqual(args, next.arguments))
      throw new Error(`${UNEXPECTED}: ${server}__${name}(${JSON.stringify(args)})`);
    if (next.isError) throw new Error(next.text);
    return resultValue(next);
  };
  const tools = {};
  for (const { server, ...tool } of catalog) {
    tools[server] ??= { description: '', tools: {} };
    tools[server].tools[tool.name] = { ...tool, run: answer(server, tool.name) };
  }
  const toolwright = await createToolwright({
    dataDir,
    sandbox: 'quickjs',
    tools,
    limits: { timeoutMs: 60_000, ...limits },
  });
  await toolwright.tools({ waitMs: 60_000 });
  return {
    UNEXPECTED,
    toolwright,
    expect(calls) {
      expected = [...calls];
    },
  };
}
