// node bench/media.mjs: measures the way of an image of 1 MB from a tool through a program to the block for a model. The MCP server and
// the client are in this process, the program runs in the sandbox that `--sandbox` names. Prints the p50 in milliseconds of a program that
// returns the image, and of one that returns its size only.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { mcpServers } from '../packages/server/dist/internal.js';
import { createToolwright } from '../packages/toolwright/dist/index.js';
import { percentiles, round, time } from './measure.mjs';

const RUNS = 40;
const WARM_RUNS = 5;
const EDGE = 590;
const TARGET_MS = 20;

const { values } = parseArgs({ options: { sandbox: { type: 'string', default: 'auto' } } });
const raw = { width: EDGE, height: EDGE, channels: 3 };
// Random pixels cannot be compressed.
const image = await sharp(randomBytes(EDGE * EDGE * 3), { raw })
  .png({ compressionLevel: 0 })
  .toBuffer();
const block = { type: 'image', mimeType: 'image/png', data: image.toString('base64') };
const inputSchema = { type: 'object' };
const shot = { description: 'Takes a picture', inputSchema, run: async () => block };
const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-media-'));
const toolwright = await createToolwright({
  dataDir,
  sandbox: values.sandbox,
  tools: { camera: { tools: { shot } } },
});
const silent = { error: () => undefined, warn: () => undefined };
const server = await mcpServers({ open: async () => toolwright, logger: silent })({ era: 'legacy' });
const client = new Client({ name: 'bench', version: '1' });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(far), client.connect(near)]);

/** Returns the p50 of the milliseconds of a program. */
async function measure(code, blocks) {
  const samples = [];
  for (let index = 0; index < RUNS + WARM_RUNS; index++) {
    samples.push(
      await time(async () => {
        const { content, isError } = await client.callTool({ name: 'execute_code', arguments: { code } });
        if (isError || content.length !== blocks) throw new Error(content[0].text);
      }),
    );
  }
  return percentiles(samples.slice(WARM_RUNS)).p50;
}

try {
  const program = 'const shot = await callMCPTool("camera__shot");';
  const nothing = await measure('return 1', 1);
  const received = await measure(`${program} return shot.data.length`, 1);
  const shown = await measure(`${program} return shot`, 2);
  const milliseconds = { nothing, received, shown, toolToBlock: round(shown - nothing) };
  console.log(JSON.stringify({ bytes: image.length, targetMilliseconds: TARGET_MS, milliseconds }, null, 2));
} finally {
  await client.close();
  await server.close();
  await toolwright.close();
  rmSync(dataDir, { recursive: true, force: true });
}
