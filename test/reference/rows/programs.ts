import { expect } from 'vitest';
import type { Part } from '../row.ts';

/** The program of the README, as it is written there. */
const SALES = `
// 1. Discover available tools
const tools = await list_mcp_tools();
console.log("Available tools:", tools);

// 2. Get tool details
const dbTool = await get_mcp_tool_details("database__query");
console.log("Tool info:", dbTool.description);

// 3. Execute tools
const salesData = await callMCPTool("database__query", {
  query: "SELECT * FROM sales WHERE date > '2024-01-01'"
});

// 4. Process data in code
const summary = salesData.reduce((acc, sale) => {
  acc.total += sale.amount;
  acc.count += 1;
  return acc;
}, { total: 0, count: 0 });

// 5. Save to skills for reuse
await fs.writeFile('/skills/sales_summary.js', \`
  module.exports = async function summarizeSales(data) {
    return data.reduce((acc, sale) => {
      acc.total += sale.amount;
      acc.count += 1;
      return acc;
    }, { total: 0, count: 0 });
  };
\`);

// 6. Return results
return { summary, totalSales: summary.total, count: summary.count };
`;

/** The workflow program of the README, as it is written there. */
const WORKFLOW = `
// 1. Discover n8n tools via filesystem
import * as nodes from './servers/n8n-nodes/index.js';
import * as workflows from './servers/n8n-workflows/index.js';

// 2. Search for required nodes (token efficient)
const slackNodes = await nodes.searchNodes('slack');
console.log('Found Slack nodes:', slackNodes);

// 3. Get essential properties only (not full definitions)
const slackInfo = await nodes.getNodeEssentials('n8n-nodes-base.slack');
console.log('Essential properties:', slackInfo.properties.slice(0, 3));

// 4. Build workflow structure
const workflow = {
  name: 'Slack Notification',
  active: false,
  nodes: [
    {
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      position: [250, 300],
      parameters: { path: '/notify', httpMethod: 'POST' }
    },
    {
      name: 'Slack',
      type: 'n8n-nodes-base.slack',
      position: [450, 300],
      parameters: {
        resource: 'message',
        operation: 'post',
        channel: '#alerts',
        text: '={{$json["message"]}}'
      }
    }
  ],
  connections: {
    'Webhook': { main: [[{ node: 'Slack', type: 'main', index: 0 }]] }
  }
};

// 5. Validate before creating
const validation = await workflows.validateWorkflow(workflow);
if (validation.valid) {
  const created = await workflows.createWorkflow(workflow);
  console.log(\`Created workflow: \${created.id}\`);

  // 6. Execute the workflow
  const result = await workflows.executeWorkflow(created.id, {
    message: 'Hello from n8n!'
  });
  console.log('Execution result:', result);
}
`;

export const PROGRAMS: Part = {
  title: 'Programs in TypeScript and JavaScript',
  rows: [
    {
      item: 'the program that discovers, queries, adds up and saves a skill',
      from: 'HN',
      async check({ run }) {
        expect(await run(SALES)).toEqual({ summary: { total: 42, count: 3 }, totalSales: 42, count: 3 });
      },
    },
    {
      item: '`/skills/sales_summary.js` in a later program',
      from: 'HN',
      async check({ run }) {
        await run(SALES, { userId: 'seller' });
        const code = `import summarizeSales from '/skills/sales_summary.js'; return summarizeSales([{ amount: 2 }, { amount: 3 }])`;
        expect(await run(code, { userId: 'seller' })).toEqual({ total: 5, count: 2 });
      },
    },
    {
      item: 'the program that builds, validates, creates and executes an n8n workflow',
      from: 'N',
      differs:
        '`getNodeEssentials` has `required` and `optional` in place of a list `properties`: the important ones come first, and each has its type. The type check names them. All other lines work.',
      async check({ toolwright }) {
        const made = await toolwright();
        expect(await made.execute(WORKFLOW)).toMatchObject({
          status: 'failed',
          error: { hint: expect.stringContaining('optional') },
        });
        const result = await made.execute(WORKFLOW.replace('slackInfo.properties', 'Object.keys(slackInfo.optional)'));
        expect(result, JSON.stringify(result)).toMatchObject({ status: 'completed' });
        const logs = result.logs.map(({ text }) => text).join('\n');
        expect(logs).toMatch(/Found Slack nodes[\s\S]*Essential properties/);
      },
    },
    {
      item: '`list_mcp_tools()`',
      from: 'HNS',
      async check({ run }) {
        const names = await run('return (await list_mcp_tools()).map(({ name }) => name)');
        expect(names).toEqual(expect.arrayContaining(['database__query', 'security__web_vuln_scanner']));
      },
    },
    {
      item: '`get_mcp_tool_details("database__query")`: `name`, `description`, `parameters`',
      from: 'HNS',
      async check({ run }) {
        const code = `const { name, description, parameters, inputSchema } = await get_mcp_tool_details('database__query');
          return [name, description, parameters.required, inputSchema.required]`;
        expect(await run(code)).toEqual([
          ...['database__query', expect.stringContaining('Runs a SQL query')],
          ...[['query'], ['query']],
        ]);
      },
    },
    {
      item: '`callMCPTool("server__tool", {…})`',
      from: 'HNS',
      async check({ run }) {
        const code = `return callMCPTool('database__query', { query: 'SELECT count(*) AS n FROM sales' })`;
        expect(await run(code)).toEqual([{ n: 4 }]);
      },
    },
    {
      item: '`fs` on `/skills` and `/workspace`, with checked paths',
      from: 'HNS',
      async check({ run }) {
        const code = `await fs.writeFile('/workspace/a.txt', 'x'); const out = await fs.readFile('/etc/passwd').catch(({ code }) => code);
          return [await fs.readFile('/workspace/a.txt', 'utf8'), out]`;
        expect(await run(code)).toEqual(['x', expect.stringMatching(/^(?!undefined)/)]);
      },
    },
    {
      item: '`utils`: `sleep`, `parseJSON`, `timestamp`',
      from: 'HNS',
      async check({ run }) {
        const code = `await utils.sleep(1); return [utils.parseJSON('{"a":1}').a, typeof utils.timestamp()]`;
        expect(await run(code)).toEqual([1, expect.any(String)]);
      },
    },
    {
      item: '`import * as x from "./servers/<server>/index.js"`: tools as files',
      from: 'NP',
      async check({ run }) {
        const code = `import * as database from './servers/database/index.js';
          const files = await fs.readdir('/servers/database');
          return [files.includes('query.ts'), (await database.query({ query: 'SELECT 1 AS one' }))[0].one]`;
        expect(await run(code)).toEqual([true, 1]);
      },
    },
    {
      item: 'n8n servers: `n8n-nodes`, `n8n-templates`, `n8n-workflows`',
      from: 'N',
      async check({ run }) {
        const code = `return (await fs.readdir('/servers')).filter((name) => name.startsWith('n8n'))`;
        expect(await run(code)).toEqual(['n8n-nodes', 'n8n-templates', 'n8n-workflows']);
      },
    },
    {
      item: 'an example skill for n8n, `n8n-workflow-builder`',
      from: 'N',
      async check({ run }) {
        const hits = await run(
          `return (await search_tools('build an n8n workflow')).map(({ name, server }) => server + ' ' + name)`,
        );
        expect(hits).toEqual(expect.arrayContaining([expect.stringContaining('skills n8n')]));
      },
    },
  ],
};
