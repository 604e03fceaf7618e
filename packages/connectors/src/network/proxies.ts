import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from './addresses.ts';

/** The variables of proxies, by protocol. Lower case has priority, as in curl. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  // A program behind a web server gets HTTP_PROXY from the header "Proxy" of any client.
  'http:': process.env.REQUEST_METHOD === undefined ? ['http_proxy', 'HTTP_PROXY'] : ['http_proxy'],
  'https:': ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'],
};
const FOR_ALL = ['all_proxy', 'ALL_PROXY'];

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy of the environment. */
export interface NamedProxy {
  /** May have a user and a password. */
  readonly url: URL;
  /** The name of its variable. */
  readonly variable: string;
  /** Its address without user and password. */
  readonly shown: string;
}

/** A variable whose proxy cannot be used. */
export interface UnusableProxy {
  readonly variable: string;
  /** The problem and its fix, without an end mark. */
  readonly problem: string;
}

/**
 * Returns the proxy of the environment for an address; undefined for this machine, and for hosts of `NO_PROXY`. An unusable
 * proxy is returned too: a request past it would leave the network in a way that its operator does not want.
 */
export function proxyFor(target: URL, env: Environment = process.env): NamedProxy | UnusableProxy | undefined {
  if (isLoopbackHost(target.hostname) || isExcepted(target, env.no_proxy || env.NO_PROXY || '')) return undefined;
  return proxyOf(target.protocol, env);
}

/** Returns the proxy for all addresses of a protocol, which `NO_PROXY` does not change. */
export function proxyOf(protocol: string, env: Environment = process.env): NamedProxy | UnusableProxy | undefined {
  const variable = [...(VARIABLES[protocol] ?? []), ...FOR_ALL].find((name) => env[name]);
  if (variable === undefined) return undefined;
  const text = env[variable] ?? '';
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return { variable, problem: 'it is no address. Write http://HOST:PORT' };
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { variable, problem: `${url.protocol}// is not supported. Write an http:// or https:// proxy` };
  return { url, variable, shown: url.origin };
}

/** Returns whether `NO_PROXY` names an address. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const { name, port: wanted } = partsOf(entry);
      return (wanted === undefined || wanted === ownPort) && isNamed(host, name);
    });
}

/** Splits `host:port`, `[::1]:port` and `http://host`. */
function partsOf(entry: string): { readonly name: string; readonly port?: string } {
  const text = entry.replace(/^\w+:\/\//, '').replace(/\/$/, '');
  const [, inside, portOfInside] = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? [];
  if (inside !== undefined) return { name: inside, ...(portOfInside && { port: portOfInside }) };
  const [, name = text, port] = /^([^:]*):(\d+)$/.exec(text) ?? [];
  return { name, ...(port && { port }) };
}

function isNamed(host: string, name: string): boolean {
  if (name === '*') return true;
  const family = isIP(host);
  const [network = '', bits] = name.split('/');
  if (family !== 0 && isIP(network) === family) return isInNetwork(host, network, bits, family === 6 ? 'ipv6' : 'ipv4');
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  if (domain === '') return false;
  if (domain.includes('*')) return new RegExp(`^${domain.split('*').map(escaped).join('.*')}$`).test(host);
  return host === domain || (family === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string, bits: string | undefined, family: 'ipv4' | 'ipv6'): boolean {
  const most = family === 'ipv6' ? 128 : 32;
  const length = bits === undefined ? most : Number(bits);
  if (!/^\d+$/.test(bits ?? '0') || length > most) return false;
  const found = new BlockList();
  found.addSubnet(network, length, family);
  return found.check(host, family);
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
}
