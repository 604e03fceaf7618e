import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderRecords } from '../../packages/core/src/sessions/records/folder-records.ts';
import { dataFolder } from '../../packages/storage/src/data-folder/data-folder.ts';
import { openSqlite } from '../../packages/storage/src/sqlite/database.ts';

/** The environment of an attacker. Nothing in it may be read, changed or reached. */
export interface Canaries {
  /** Contains everything of this attack. */
  readonly dir: string;
  readonly dataDir: string;
  /** The attacker's files on the host. */
  readonly workspace: string;
  readonly secretFile: string;
  readonly canaryFile: string;
  /** An empty folder, which must stay empty. */
  readonly outside: string;
  readonly envName: string;
  /** A port that must receive no connection. */
  readonly port: number;
  /** Path of a Unix socket that must receive no connection. */
  readonly socketPath: string;
  /** Name of a Unix socket in Linux's abstract namespace, which has no files. It must receive no connection. */
  readonly abstractName: string;
  /** Name of processes that try to outlive their program. */
  readonly processName: string;
  readonly neighbour: string;
  /** The name of this machine. */
  readonly hostname: string;
  readonly secrets: ReadonlyMap<'file' | 'env' | 'neighbour' | 'closure', string>;
  connections(): number;
  isCanaryUnharmed(): Promise<boolean>;
  remove(): Promise<void>;
}

const CANARY = 'The canary sings.';

/** The session of every attacker. */
export const ATTACKER = 'attacker';
const NEIGHBOUR = 'neighbour';

/** Creates a new environment with new secrets. */
export async function plantCanaries(): Promise<Canaries> {
  const dir = await mkdtemp(join(tmpdir(), 'toolwright-attack-'));
  const secret = () => `S3cret${randomBytes(12).toString('hex')}`;
  const secrets = new Map([
    ['file', secret()],
    ['env', secret()],
    ['neighbour', secret()],
    ['closure', secret()],
  ] as const);
  const [secretFile, canaryFile, outside] = [join(dir, 'secret.txt'), join(dir, 'canary.txt'), join(dir, 'outside')];
  const dataDir = join(dir, 'data');
  const workspaceOf = (session: string) => join(dataDir, 'sessions', session, 'workspace');
  const envName = `TOOLWRIGHT_PLANT_${randomBytes(6).toString('hex').toUpperCase()}`;
  await mkdir(outside);
  await writeFile(secretFile, secrets.get('file') ?? '');
  await writeFile(canaryFile, CANARY);
  await using database = openSqlite(dataFolder(dataDir).state);
  const records = folderRecords(dataFolder(dataDir), database);
  for (const id of [ATTACKER, NEIGHBOUR]) {
    await records.create({ id, userId: 'local' });
    await mkdir(workspaceOf(id));
  }
  await writeFile(join(workspaceOf(NEIGHBOUR), 'secret.txt'), secrets.get('neighbour') ?? '');
  process.env[envName] = secrets.get('env');

  let connections = 0;
  const onConnection = (socket: Socket) => {
    connections++;
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  };
  const servers = Array.from({ length: 3 }, () => createServer(onConnection));
  const [tcp, unix, abstract] = servers;
  const port = await listen(tcp, { port: 0, host: '127.0.0.1' });
  const [socketPath, abstractName] = [join(dir, 'socket'), `toolwright-${randomBytes(8).toString('hex')}`];
  await listen(unix, { path: socketPath });
  if (process.platform === 'linux') await listen(abstract, { path: `\0${abstractName}` });
  return {
    dir,
    dataDir,
    workspace: workspaceOf(ATTACKER),
    secretFile,
    canaryFile,
    outside,
    envName,
    port,
    socketPath,
    abstractName,
    processName: `tw${randomBytes(6).toString('hex')}`,
    neighbour: NEIGHBOUR,
    hostname: hostname(),
    secrets,
    connections: () => connections,
    async isCanaryUnharmed() {
      const [canary, kept] = await Promise.all(
        [canaryFile, secretFile].map((path) => readFile(path, 'utf8').catch(() => '')),
      );
      return canary === CANARY && kept === secrets.get('file');
    },
    async remove() {
      delete process.env[envName];
      for (const server of servers) server.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function listen(server: Server | undefined, options: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server?.once('error', reject);
    server?.listen(options, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
