import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { end, freePort, start } from './programs.ts';

const EFFECTS = fileURLToPath(new URL('effects.mjs', import.meta.url));
const NO_QUOTA = { requestsPerMinute: 0, concurrentExecutions: 0, concurrentTasks: 0, tokensPerDay: 0 };
const SCRIPT = [{ code: 'return 6 * 7' }, { text: 'It is {{result}}.' }];

/** A user of the service, with a key. */
export interface User {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The service in a process of its own, with its servers. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  readonly users: readonly User[];
  /** A further user, who sends the hostile programs. */
  readonly hostile: User;
  /** The file with the effects of all servers, the data folder, and the folder of temporary files. */
  readonly effects: string;
  readonly dataDir: string;
  readonly temporary: string;
  /** The log of the service. */
  readonly log: string;
  hasEnded(): boolean;
  /** Ends the service without a warning, and starts it again on the same data. */
  crash(): Promise<void>;
  /** Ends the web server without a warning, and starts it again on the same port. */
  crashWeb(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the web server, makes the keys, and starts the service. `more` is added to the environment of the service. */
export async function startService(userCount: number, more: Readonly<Record<string, string>> = {}): Promise<Service> {
  const folder = temporaryFolder();
  const [effects, dataDir, temporary, log] = ['effects', 'data', 'tmp', 'log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  mkdirSync(temporary);
  writeFileSync(effects, '');
  const env = { EFFECTS: effects };
  const webPort = await freePort();
  const desk = openDesk();
  const script = desk.write('script.json', SCRIPT);
  desk.write('toolwright.json', {
    dataDir,
    rateLimits: { user: NO_QUOTA, key: NO_QUOTA },
    mcpServers: {
      pipe: { command: process.execPath, args: [EFFECTS], env },
      web: { url: `http://127.0.0.1:${webPort}/mcp`, type: 'http' },
    },
  });
  Object.assign(desk.env, { LLM_MODEL: `scripted/${script}`, TMPDIR: temporary });
  const startWeb = () => start([EFFECTS, String(webPort)], { ...process.env, ...env }, 'ignore');
  const user = async (name: string): Promise<User> => {
    const { code, out, err } = await desk.run(['keys', 'create', '--user', name]);
    if (code !== 0) throw new Error(err);
    return { name, headers: { authorization: `Bearer ${out.trim()}` } };
  };
  const users: User[] = [];
  for (let index = 0; index < userCount; index++) users.push(await user(`user-${index}`));
  const hostile = await user('mallory');
  const logFile = openSync(log, 'a');
  const port = await freePort();
  const args = [desk.cli, 'serve', '--port', String(port)];
  const serve = () => start(args, { ...desk.env, ...more }, logFile, desk.folder);
  let web = await startWeb();
  let child = await serve();
  return {
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    ...{ users, hostile, effects, dataDir, temporary, log },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async crash() {
      await end(child, 'SIGKILL');
      child = await serve();
    },
    async crashWeb() {
      await end(web, 'SIGKILL');
      web = await startWeb();
    },
    async close() {
      await end(child, 'SIGTERM');
      await end(web, 'SIGKILL');
    },
  };
}
