import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { proxyOf } from '@toolwright/connectors/internal';
import { messageOf } from '@toolwright/core/internal';
import type { Finding } from './finding.ts';

const WAIT_MS = 3_000;

/** Returns a finding for each proxy of the environment and for further certificate authorities; none without such variables. */
export async function networkFindings(env: NodeJS.ProcessEnv = process.env): Promise<Finding[]> {
  const proxies = new Map(
    ['https:', 'http:'].flatMap((protocol) => proxyOf(protocol, env) ?? []).map((each) => [each.variable, each]),
  );
  const except = env.no_proxy || env.NO_PROXY;
  const found = [...proxies.values()].map(async (proxy): Promise<Finding> => {
    const subject = `proxy ${proxy.variable}`;
    if ('problem' in proxy) return { subject, ok: false, text: proxy.problem, fix: `correct ${proxy.variable}` };
    const problem = await connectionProblem(proxy.url);
    const text = `${proxy.shown}, except for this machine${except ? ` and ${except}` : ''}`;
    if (problem === undefined) return { subject, ok: true, text };
    return { subject, ok: false, text: `${text}: ${problem}`, fix: `correct ${proxy.variable}, or start the proxy` };
  });
  return [...(await Promise.all(found)), ...(await authorityFindings(env.NODE_EXTRA_CA_CERTS))];
}

/** Returns why nothing accepts connections at an address; undefined for one that does. */
function connectionProblem({ hostname, port, protocol }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: WAIT_MS });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.on('connect', () => end());
    socket.on('timeout', () => end(`it does not answer within ${WAIT_MS} ms`));
    socket.on('error', (error) => end(`it cannot be reached (${messageOf(error)})`));
  });
}

async function authorityFindings(file: string | undefined): Promise<Finding[]> {
  if (!file) return [];
  const subject = 'certificates NODE_EXTRA_CA_CERTS';
  const text = await readFile(file, 'latin1').catch(messageOf);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return [{ subject, ok: true, text: file }];
  const problem = 'Node ignores it: it is no readable file with certificates in PEM';
  return [
    { subject, ok: true, warning: true, text: `${file}. ${problem}`, fix: 'correct the path, or remove the variable' },
  ];
}
