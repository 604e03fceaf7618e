import type { Attacks } from '../../attack.ts';
import { FIND_PROCESS } from '../../preludes.ts';

const attacks: Attacks = {
  'tcp-to-the-host': {
    makeProgram: ({ port }) => `${FIND_PROCESS}
const { connect } = builtin('net');
const reach = (host) => new Promise((resolve) => connect({ host, port: ${port} }).on('connect', () => resolve('in')).on('error', (error) => resolve(error.code)));
return Promise.race([Promise.all(['127.0.0.1', 'localhost', '0.0.0.0', '::1', '10.0.2.2', '172.17.0.1'].map(reach)), sleep(200)]);`,
    badSandbox: 'caught',
  },
  'unix-socket': {
    makeProgram: ({ socketPath }) => `${FIND_PROCESS}
const { connect } = builtin('net');
return new Promise((resolve) => connect('${socketPath}').on('connect', () => resolve('in')).on('error', (error) => resolve(error.code)));`,
    badSandbox: 'caught',
  },
  'abstract-socket': {
    makeProgram: ({ abstractName }) => `${FIND_PROCESS}
const { connect } = builtin('net');
return new Promise((resolve) => connect('\\0${abstractName}').on('connect', () => resolve('in')).on('error', (error) => resolve(error.code)));`,
    badSandbox: 'caught',
  },
  'http-two': {
    makeProgram: ({ port }) => `${FIND_PROCESS}
const session = builtin('http2').connect('http://127.0.0.1:${port}');
return new Promise((resolve) => session.on('connect', () => resolve('in')).on('error', (error) => resolve(error.code)));`,
    badSandbox: 'caught',
  },
  names: {
    program: `${FIND_PROCESS}
const dns = builtin('dns/promises');
const found2 = await Promise.race([Promise.all(['example.com', 'host.docker.internal', 'metadata.google.internal'].map((name) => dns.lookup(name).then(({ address }) => address, () => undefined))), sleep(300).then(() => [])]);
return found2.filter(Boolean);`,
    limits: { timeoutMs: 800 },
    judge: ({ result }) =>
      result.status === 'completed' && JSON.stringify(result.value) !== '[]' ? 'a name was looked up' : undefined,
    badSandbox: 'not-run',
  },
  'fetch-by-any-way': {
    makeProgram: ({ port }) => `${FIND_PROCESS}
const loot = [];
for (const work of [() => globalThis.fetch('http://127.0.0.1:${port}/'), () => builtin('http').get('http://127.0.0.1:${port}/').on('error', () => 0), () => new (globalThis.WebSocket)('ws://127.0.0.1:${port}/'), () => new (globalThis.EventSource)('http://127.0.0.1:${port}/')])
  try { loot.push(typeof (await work())) } catch (error) { loot.push(error.message) }
await sleep(30);
return loot;`,
    badSandbox: 'caught',
  },
};

export default attacks;
