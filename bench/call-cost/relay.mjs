// The limit of a tool call that leaves a process: a relay between a guest process and a server, with nothing of Toolwright.
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const GUEST = `
let text = '', waiting;
process.stdin.setEncoding('utf8').on('data', (d) => {
  text += d;
  for (let i; (i = text.indexOf('\\n')) >= 0;) {
    const m = JSON.parse(text.slice(0, i));
    text = text.slice(i + 1);
    m.run ? main(m.run) : waiting(m.result);
  }
});
const call = (args) => new Promise((done) => { waiting = done; process.stdout.write(JSON.stringify({ args }) + '\\n'); });
async function main(n) {
  for (let i = 0; i < n; i++) await call({ a: i, b: 1 });
  process.stdout.write('{"done":1}\\n');
}`;

/** Starts the SDK's client of a server, and a guest that calls the server through this process. */
export async function startRelay(server) {
  const client = new Client({ name: 'relay', version: '1' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const guest = spawn(process.execPath, ['-e', GUEST], { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  let done;
  const answer = async ({ args }) => {
    const { structuredContent, content } = await client.callTool({ name: 'add', arguments: args });
    guest.stdin.write(`${JSON.stringify({ result: structuredContent ?? content })}\n`);
  };
  guest.stdout.setEncoding('utf8').on('data', (data) => {
    text += data;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const message = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      if (message.done) done();
      else void answer(message);
    }
  });
  return {
    sequential: (calls) =>
      new Promise((resolve) => {
        done = resolve;
        guest.stdin.write(`{"run":${calls}}\n`);
      }),
    direct: (calls) =>
      Promise.all(Array.from({ length: calls }, (_, a) => client.callTool({ name: 'add', arguments: { a, b: 1 } }))),
    async close() {
      guest.kill();
      await client.close();
    },
  };
}
