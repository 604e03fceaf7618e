import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { probeDocker } from '../docker.ts';
import { connectEngine } from './engine.ts';
import { EngineError } from './engine-error.ts';

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts a server on a socket. Its answer is that of an engine, or of another program. */
async function listen(status: number, body: string): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'engine-')), 'engine.sock');
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(path);
  servers.push(server);
  await once(server, 'listening');
  return path;
}

test('distinguishes Podman from Docker, and reads DOCKER_HOST', async () => {
  const docker = await listen(200, JSON.stringify({ Components: [{ Name: 'Engine' }], Version: '29.0.1' }));
  const podman = await listen(200, JSON.stringify({ Components: [{ Name: 'Podman Engine' }], Version: '5.7.0' }));
  expect((await connectEngine(docker)).description).toBe(`Docker 29.0.1 at ${docker}`);
  vi.stubEnv('DOCKER_HOST', `unix://${podman}`);
  const { command, description, socketPath } = await connectEngine();
  expect([command, description, socketPath]).toEqual(['podman', `Podman 5.7.0 at ${podman}`, podman]);
});

test('skips a usual socket that does not answer', async () => {
  vi.stubEnv('DOCKER_HOST', '');
  const podman = await listen(200, JSON.stringify({ Components: [{ Name: 'Podman Engine' }], Version: '5.7.0' }));
  const runtime = join(podman, '..');
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  const { renameSync, mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(join(runtime, 'podman'));
  renameSync(podman, join(runtime, 'podman/podman.sock'));
  writeFileSync(join(runtime, 'docker.sock'), '');
  const { socketPath } = await connectEngine();
  expect(['/var/run/docker.sock', join(runtime, 'podman/podman.sock')]).toContain(socketPath);
});

test('quotes an engine that refuses a call', async () => {
  const socketPath = await listen(403, JSON.stringify({ message: 'authorization denied by plugin' }));
  const refusal = await connectEngine(socketPath).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(EngineError);
  expect(await probeDocker({ socketPath })).toEqual({
    available: false,
    reason: `no container engine answers (${socketPath}: authorization denied by plugin)`,
    fix: expect.stringMatching(/^start Docker or Podman/),
  });
});

test('a server without the API is not an engine', async () => {
  const socketPath = await listen(200, '<html>');
  expect((await probeDocker({ socketPath })).reason).toMatch(/^no container engine answers .*not valid JSON/);
});

test('reports how to get access to a forbidden socket', async () => {
  const denied = Object.assign(new Error('connect EACCES /run/docker.sock'), { code: 'EACCES' });
  expect(EngineError.from(denied).fix).toMatch(/rootless engine, or add the user to the group "docker"/);
});
