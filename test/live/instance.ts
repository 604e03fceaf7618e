import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EditorUser } from '../../packages/n8n/src/catalogs/sync.ts';

/** The newest line of n8n that runs on Node 20. */
export const N8N_VERSION = '2.8.4';
const INSTALL_TIMEOUT_MS = 30 * 60_000;
const START_TIMEOUT_MS = 300_000;
const OWNER = { email: 'owner@example.test', firstName: 'T', lastName: 'O', password: 'Passw0rd-Test' };

/** A real n8n on loopback. */
export interface LiveN8n extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** The owner of the instance. */
  readonly user: EditorUser;
  /** Creates a credential with made-up values, and returns its id. */
  stubCredential(type: string): Promise<string>;
}

/** Installs n8n if necessary (2.3 GB, about 9 minutes), starts it with new data, and creates its owner and a key. */
export async function startLiveN8n(port = 5791): Promise<LiveN8n> {
  const folder = process.env.TOOLWRIGHT_N8N_LIVE ?? join(homedir(), '.cache', 'toolwright', `n8n-live-${N8N_VERSION}`);
  install(folder);
  const log = join(folder, 'n8n.log');
  const data = mkdtempSync(join(folder, 'data-'));
  const child = start(folder, data, port, log);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await Promise.race([new Promise((resolve) => child.once('exit', resolve)), sleep(15_000)]);
    child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const cookie = await setUpOwner(url, child, log);
    const stubCredential = async (type: string): Promise<string> => {
      const answer = await post(
        `${url}/rest/credentials`,
        { name: 'Stub', type, data: { accessToken: 'stub', apiKey: 'stub' } },
        { cookie },
      );
      return ((await answer.json()) as { data: { id: string } }).data.id;
    };
    return { url, apiKey: await makeKey(url, cookie), user: OWNER, stubCredential, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function install(folder: string): void {
  if (existsSync(join(folder, 'node_modules', '.bin', 'n8n'))) return;
  mkdirSync(folder, { recursive: true });
  // n8n loads xlsx from its vendor's server. The version of the registry is sufficient for tests.
  const manifest = { name: 'n8n-live', private: true, overrides: { xlsx: 'npm:xlsx@0.18.5' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', `n8n@${N8N_VERSION}`, '--no-audit', '--no-fund', '--ignore-scripts=false'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', timeout: INSTALL_TIMEOUT_MS });
  if (status !== 0) throw new Error(`npm install n8n@${N8N_VERSION} failed with ${status}; see above.`);
}

function start(folder: string, data: string, port: number, log: string): ChildProcess {
  const output = openSync(log, 'w');
  const off = [
    'N8N_SECURE_COOKIE',
    'N8N_COMMUNITY_PACKAGES_ENABLED',
    'N8N_TEMPLATES_ENABLED',
    'N8N_DIAGNOSTICS_ENABLED',
    'N8N_VERSION_NOTIFICATIONS_ENABLED',
    'N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED',
    'N8N_PERSONALIZATION_ENABLED',
    'N8N_HIRING_BANNER_ENABLED',
    'N8N_DYNAMIC_BANNERS_ENABLED',
    'N8N_LICENSE_AUTO_RENEW_ENABLED',
    'N8N_AI_ENABLED',
  ];
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    N8N_USER_FOLDER: data,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: '127.0.0.1',
    N8N_PROTOCOL: 'http',
    DB_TYPE: 'sqlite',
    N8N_ENCRYPTION_KEY: 'for-tests-only',
    GENERIC_TIMEZONE: 'UTC',
    EXECUTIONS_TIMEOUT: '20',
    EXECUTIONS_TIMEOUT_MAX: '30',
    N8N_RUNNERS_MODE: 'internal',
    N8N_RUNNERS_BROKER_PORT: String(port + 1),
    ...Object.fromEntries(off.map((name) => [name, 'false'])),
  };
  const command = join(folder, 'node_modules', '.bin', 'n8n');
  return spawn(command, ['start'], { cwd: folder, env, stdio: ['ignore', output, output] });
}

/** The API answers some seconds later than `/healthz`. */
async function setUpOwner(url: string, child: ChildProcess, log: string): Promise<string> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
    if (child.exitCode !== null) throw new Error(`n8n ended with ${child.exitCode}; see ${log}`);
    const answer = await post(`${url}/rest/owner/setup`, OWNER).catch(() => undefined);
    const cookie = answer?.headers.getSetCookie()[0]?.split(';')[0];
    if (answer?.ok && cookie) return cookie;
  }
  throw new Error(`n8n did not start within ${START_TIMEOUT_MS} ms; see ${log}`);
}

async function makeKey(url: string, cookie: string): Promise<string> {
  const scopes = (await (await fetch(`${url}/rest/api-keys/scopes`, { headers: { cookie } })).json()) as {
    data: string[];
  };
  const answer = await post(
    `${url}/rest/api-keys`,
    { label: 'test', expiresAt: null, scopes: scopes.data },
    { cookie },
  );
  const { data } = (await answer.json()) as { data: { rawApiKey: string } };
  return data.rawApiKey;
}

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
