import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../packages/core/src/config/config.ts';
import { openBlobs } from '../../packages/storage/src/blobs/open.ts';
import { at, DEPLOY, list, readYaml } from './yaml.ts';

const manifest = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8'));
const PASSWORDS = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'S3_SECRET_KEY', 'TOOLWRIGHT_MASTER_KEY'];

/** Returns a text with the variables of compose replaced. */
function filled(text: unknown): string {
  return String(text).replace(/\$\{(\w+):\?[^}]*\}/g, (_all, name: string) => `${name.toLowerCase()}-value`);
}

describe('compose.cluster.yaml', () => {
  const [compose] = readYaml('compose.cluster.yaml');
  const services: Record<string, unknown> = Object(at(compose, 'services'));
  const ofRole = ['api', 'worker'].map((name) => services[name]);

  it.each(Object.entries(services))('%s is hardened and bounded', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      cpus: expect.any(Number),
      image: expect.stringMatching(/^[\w/]+:\d/),
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
    });
    for (const loose of ['privileged', 'cap_add', 'network_mode', 'pid', 'ipc'])
      expect(service).not.toHaveProperty(loose);
  });

  it('has two processes of each role, of the image of this version', () => {
    expect(ofRole.map((service) => at(service, 'command.2'))).toEqual(['api', 'worker']);
    for (const service of ofRole) {
      expect(at(service, 'deploy.replicas')).toBe(2);
      expect(at(service, 'image')).toBe(`toolwright:${manifest.version}`);
    }
  });

  it('sets valid addresses of all parts of the cluster', async () => {
    for (const service of ofRole) {
      const environment = Object.entries(Object(at(service, 'environment')));
      const env = Object.fromEntries(environment.map(([name, value]) => [name, filled(value)]));
      const config = await loadConfig({
        path: join(DEPLOY, 'toolwright.json'),
        env: { ...env, TOOLWRIGHT_MASTER_KEY: undefined },
      });
      expect(new URL(config.store)).toMatchObject({ hostname: 'postgres', password: 'postgres_password-value' });
      expect(new URL(config.redis ?? '')).toMatchObject({ hostname: 'redis', password: 'redis_password-value' });
      expect(openBlobs(config.blobs ?? '', '/none', env).name).toBe('s3');
    }
  });

  it('keeps the state away from everything but Toolwright, and opens one port to this machine', () => {
    const published = Object.entries(services).flatMap(([name, service]) =>
      list(service, 'ports').map((port) => `${name} ${port}`),
    );
    expect(published).toEqual(['proxy 127.0.0.1:8377:8377']);
    for (const name of ['postgres', 'redis', 's3', 'bucket']) expect(at(services[name], 'networks')).toEqual(['state']);
    expect(at(services.proxy, 'networks')).toEqual(['default']);
    expect(at(compose, 'networks.state')).toEqual({ internal: true });
  });

  it('has no secret of its own', () => {
    const secrets = Object.values(services).flatMap((service) =>
      Object.entries(Object(at(service, 'environment'))).filter(([name]) => /PASSWORD|SECRET|KEY$|AUTH/.test(name)),
    );
    expect(secrets.length).toBeGreaterThan(6);
    for (const [name, value] of secrets) expect(`${name}=${value}`).toMatch(/=\$\{\w+:\?set \w+\}$/);
    const text = readFileSync(join(DEPLOY, 'compose.cluster.yaml'), 'utf8');
    for (const name of PASSWORDS) expect(text).toContain(`${name}=$(openssl rand -hex 32)`);
  });

  it('keeps state on volumes, and lets Redis lose its content', () => {
    const mounts = Object.values(services).flatMap((service) => list(service, 'volumes').map(String));
    const named = mounts.filter((mount) => !mount.startsWith('.')).map((mount) => mount.split(':')[0]);
    expect(named.sort()).toEqual(Object.keys(Object(at(compose, 'volumes'))).sort());
    expect(at(services.redis, 'command.2')).toMatch(/--save '' --maxmemory-policy noeviction/);
  });
});
