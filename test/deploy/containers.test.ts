import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../packages/core/src/config/config.ts';
import { at, DEPLOY, list, readYaml } from './yaml.ts';

const root = join(DEPLOY, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Returns the instructions of a Dockerfile, with continued lines joined. */
function instructions(text: string): [name: string, rest: string][] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`no instruction: ${line}`);
    return [name, rest];
  });
}

/** Returns the problems of a Dockerfile, by the rules of hadolint. */
function dockerfileProblems(text: string): string[] {
  const all = instructions(text);
  const stage = all.slice(all.findLastIndex(([name]) => name === 'FROM'));
  const problems: string[] = [];
  for (const [name, rest] of all) {
    if (name === 'FROM' && /:latest\b|^[^:@]+( AS|$)/.test(rest))
      problems.push(`DL3006/7 a base without a version: ${rest}`);
    if (name === 'ADD') problems.push('DL3020 ADD in place of COPY');
    if (name === 'RUN' && /\bsudo\b/.test(rest)) problems.push('DL3004 sudo');
    if (name === 'RUN' && /apt-get install/.test(rest) && !/--no-install-recommends/.test(rest))
      problems.push('DL3015');
    if (name === 'RUN' && /curl|wget/.test(rest)) problems.push('something is fetched that no lock knows');
    if ((name === 'CMD' || name === 'ENTRYPOINT') && !rest.startsWith('['))
      problems.push(`DL3025 ${name} as a shell line`);
    if (name === 'WORKDIR' && !rest.startsWith('/')) problems.push('DL3000 a relative WORKDIR');
    if ((name === 'ENV' || name === 'ARG') && /(PASSWORD|SECRET|TOKEN|API_KEY)/.test(rest))
      problems.push('a secret in a layer');
    if (name === 'COPY' && /(^| )\.( |$)/.test(rest.split(' ').slice(0, -1).join(' ')))
      problems.push('everything is copied');
  }
  const users = stage.filter(([name]) => name === 'USER').map(([, rest]) => rest);
  if (!/^[1-9]\d{3,}:[1-9]\d{3,}$/.test(users.at(-1) ?? ''))
    problems.push('DL3002 the last USER is root, or no number');
  for (const name of ['HEALTHCHECK', 'ENTRYPOINT']) {
    if (stage.filter(([given]) => given === name).length !== 1) problems.push(`there is not one ${name}`);
  }
  return problems;
}

describe('the image of the server', () => {
  const text = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
  const all = instructions(text);

  it('follows the rules', () => {
    expect(dockerfileProblems(text)).toEqual([]);
  });

  it.each([
    [/USER .*/, 'USER root', /DL3002/],
    [/node:20-bookworm-slim\nENV/, 'node\nENV', /DL3006/],
    [/ENTRYPOINT .*/, 'ENTRYPOINT node /app/packages/toolwright/dist/cli.js', /DL3025/],
    [/COPY packages packages/, 'COPY . .', /everything is copied/],
    [/HEALTHCHECK [^\n]*\n[^\n]*\n/, '', /HEALTHCHECK/],
  ])('would break them with %s changed', (what, into, problem) => {
    expect(what.test(text)).toBe(true);
    expect(dockerfileProblems(text.replace(what, into)).join()).toMatch(problem);
  });

  it('is built in stages from existing files, and contains only files that run', () => {
    const stages = all.flatMap(([name, rest]) => (name === 'FROM' ? [rest.split(' AS ')[1] ?? 'last'] : []));
    expect(stages).toEqual(['build', 'packages', 'last']);
    const ignored = readFileSync(join(DEPLOY, 'Dockerfile.dockerignore'), 'utf8');
    const kept = ignored.split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect(ignored.startsWith('*\n')).toBe(true);
    for (const file of kept) expect(existsSync(join(root, file)), file).toBe(true);
    const copied = all.flatMap(([name, rest]) => {
      if (name !== 'COPY') return [];
      const words = rest.split(' ');
      const [, stage] = /^--from=(\w+)$/.exec(words[0] ?? '') ?? [];
      if (stage !== undefined) {
        expect(stages).toContain(stage);
        return [];
      }
      return words.slice(0, -1);
    });
    expect(copied.filter((path) => !kept.includes(path))).toEqual([]);
  });

  it('runs on a supported version of Node', () => {
    expect(manifest.engines.node).toMatch(/^>=20\./);
    for (const [name, rest] of all) if (name === 'FROM') expect(rest).toMatch(/^node:20-/);
  });

  it('checks the health of its own server', () => {
    expect(text).toContain('http://127.0.0.1:8377/health');
    expect(text).toContain('EXPOSE 8377');
    expect(readFileSync(join(root, 'packages/toolwright/src/commands/serve/serve-options.ts'), 'utf8')).toContain(
      '8377',
    );
  });
});

describe('compose.yaml', () => {
  const [compose] = readYaml('compose.yaml');
  const services = Object(at(compose, 'services'));
  const { toolwright, redis }: Record<string, unknown> = services;

  it.each(Object.entries(services))('%s is hardened and bounded', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      cpus: expect.any(Number),
      restart: 'unless-stopped',
      image: expect.stringMatching(/^[\w/]+:\d/),
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
    });
    for (const loose of ['privileged', 'cap_add', 'network_mode', 'pid', 'ipc'])
      expect(service).not.toHaveProperty(loose);
    expect(JSON.stringify(list(service, 'volumes'))).not.toMatch(/docker\.sock|"\/:/);
  });

  it('builds and runs the image of this version, as its user', () => {
    expect(at(toolwright, 'image')).toBe(`toolwright:${manifest.version}`);
    expect(at(toolwright, 'build')).toEqual({ context: '..', dockerfile: 'deploy/Dockerfile' });
    expect(readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')).toContain(`USER ${at(toolwright, 'user')}\n`);
    expect(toolwright).toMatchObject({ init: true, depends_on: { redis: { condition: 'service_healthy' } } });
  });

  it('opens ports to this machine only, and Redis to the server only', () => {
    expect(at(toolwright, 'ports')).toEqual(['127.0.0.1:8377:8377']);
    expect(redis).not.toHaveProperty('ports');
    expect(at(redis, 'networks')).toEqual(['state']);
    expect(at(compose, 'networks')).toEqual({ state: { internal: true } });
    expect(at(redis, 'healthcheck.test')).toEqual(['CMD', 'redis-cli', 'ping']);
  });

  it('has no password of its own, and keeps counters', () => {
    for (const service of [toolwright, redis]) {
      for (const [name, value] of Object.entries(Object(at(service, 'environment')))) {
        if (/PASSWORD|AUTH|STORE/.test(name)) expect(value).toMatch(/\$\{REDIS_PASSWORD:\?/);
      }
    }
    expect(String(at(redis, 'command'))).toMatch(/--requirepass .*--appendonly yes --maxmemory-policy noeviction/);
  });

  it('stores its data on volumes, and mounts a valid configuration', async () => {
    const named = [toolwright, redis].flatMap((service) =>
      list(service, 'volumes').map((mount) => String(mount).split(':')),
    );
    const own = named.map(([from = '']) => from).filter((from) => !from.startsWith('.'));
    expect(own.sort()).toEqual(Object.keys(Object(at(compose, 'volumes'))).sort());
    expect(named).toContainEqual(['./toolwright.json', '/config/toolwright.json', 'ro']);
    const config = await loadConfig({ path: join(DEPLOY, 'toolwright.json'), env: {} });
    expect(config.rateLimits.user.requestsPerMinute).toBe(600);
  });
});
