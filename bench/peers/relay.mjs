// The limit of a tool call that leaves a process: a relay between a guest process and a server, with nothing of Toolwright.
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { transportOf } from './transport.mjs';

const GUEST = `
let text = '', last = 0;
const waiting = new Map();
const Program = (async () => {}).constructor;
process.stdin.setEncoding('utf8').on('data', (d) => {
  text += d;
  for (let i; (i = text.indexOf('\\n')) >= 0;) {
    const m = JSON.parse(text.slice(0, i));
    text = text.slice(i + 1);
    m.run ? main(m.run) : waiting.get(m.id)(m.result);
  }
});
const send = (m) => process.stdout.write(JSON.stringify(m) + '\\n');
const call = (tool, args) => new Promise((done) => { waiting.set(++last, done); send({ id: last, tool, args }); });
async function main(code) { send({ done: true, value: await new Program('call', code)(call) }); }`;

/** Starts the SDK's client of a server, and a guest that calls the server through this process. */
export async function startRelay(server) {
  const client = new Client({ name: 'relay', version: '1' });
  await client.connect(transportOf(server));
  const guest = spawn(process.execPath, ['-e', GUEST], { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  let done;
  const answer = async ({ id, tool, args }) => {
    const { structuredContent, content } = await client.callTool({ name: tool, arguments: args });
    guest.stdin.write(`${JSON.stringify({ id, result: structuredContent ?? content })}\n`);
  };
  guest.stdout.setEncoding('utf8').on('data', (data) => {
    text += data;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const message = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      if (message.done) done(message.value);
      else void answer(message);
    }
  });
  return {
    client,
    /** Runs the body of an async function in the guest, which calls tools by `call(tool, args)`, and returns its value. */
    run: (code) =>
      new Promise((resolve) => {
        done = resolve;
        guest.stdin.write(`${JSON.stringify({ run: code })}\n`);
      }),
    async close() {
      guest.kill();
      await client.close();
    },
  };
}
