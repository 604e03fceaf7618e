// The plain client of the SDK, without a program: the floor of every figure.
import { Client } from '@modelcontextprotocol/client';
import { transportOf } from '../transport.mjs';

const LONG_MS = 60_000;

export async function open(server) {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transportOf(server));
  const call = (name, args) => client.callTool({ name, arguments: args }, { timeout: LONG_MS });
  const echo = (index) => call('echo', { value: `hello ${index}` });
  const times = (count, work) => Array.from({ length: count }, (_, index) => work(index));
  const jobs = {
    async sequential() {
      for (let index = 0; index < 100; index++) await echo(index);
      return 100;
    },
    async waiting() {
      for (let index = 0; index < 50; index++) await call('wait', { milliseconds: 5 });
      return 50;
    },
    parallel: async () => (await Promise.all(times(500, echo))).length,
    slow: async () => (await Promise.all(times(5, () => call('wait', { milliseconds: 300 })))).length,
    megabyte: async () => (JSON.stringify(await call('fill', { bytes: 1_000_000 })).length > 1_000_000 ? 1 : 0),
    tenMegabytes: async () => (JSON.stringify(await call('fill', { bytes: 10_000_000 })).length > 10_000_000 ? 1 : 0),
  };
  const { tools } = await client.listTools();
  return { jobs, shown: () => JSON.stringify(tools), close: () => client.close() };
}
