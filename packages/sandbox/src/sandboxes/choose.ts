import { SandboxError } from '../errors.ts';
import type { Program } from '../languages/language.ts';
import { type DockerSettings, dockerSandbox, probeDocker } from './docker.ts';
import { jailSandbox, probeJail } from './jail.ts';
import { microsandboxSandbox, probeMicrosandbox } from './microsandbox.ts';
import { probePyodide, pyodideSandbox } from './pyodide.ts';
import { probeQuickjs, quickjsSandbox } from './quickjs.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

type Guest = Program['guest'];

/** What a configuration may say of single sandboxes. */
export interface SandboxSettings {
  readonly docker?: DockerSettings | undefined;
}

/** A sandbox that can be chosen by name. */
export interface SandboxChoice {
  readonly name: string;
  readonly languages: readonly Guest[];
  /** Whether `auto` may take it. One that needs an engine, an image or a kernel of its own is taken by name only. */
  readonly auto: boolean;
  /** Looks whether it works here for a language. */
  probe(guest: Guest, settings?: SandboxSettings): Promise<SandboxProbe>;
  create(options: SandboxSettings & { readonly memoryBytes: number }): Sandbox | Promise<Sandbox>;
}

/** All sandboxes of this version; those that `auto` may take in the order in which it tries them, the strongest first. */
export const SANDBOXES: readonly SandboxChoice[] = [
  {
    name: 'jail',
    languages: ['javascript', 'python'],
    auto: true,
    probe: probeJail,
    create: ({ memoryBytes }) => jailSandbox({ warmMemoryBytes: memoryBytes }),
  },
  {
    name: 'quickjs',
    languages: ['javascript'],
    auto: true,
    probe: probeQuickjs,
    create: ({ memoryBytes }) => quickjsSandbox({ warmMemoryBytes: memoryBytes }),
  },
  {
    name: 'pyodide',
    languages: ['python'],
    auto: true,
    probe: probePyodide,
    create: ({ memoryBytes }) => pyodideSandbox({ warmMemoryBytes: memoryBytes }),
  },
  {
    name: 'docker',
    languages: ['javascript', 'python'],
    auto: false,
    probe: (_guest, { docker } = {}) => probeDocker(docker),
    create: ({ memoryBytes, docker }) => dockerSandbox({ ...docker, warmMemoryBytes: memoryBytes }),
  },
  {
    name: 'microsandbox',
    languages: ['javascript', 'python'],
    auto: false,
    probe: () => probeMicrosandbox(),
    create: ({ memoryBytes }) => microsandboxSandbox({ warmMemoryBytes: memoryBytes }),
  },
];

export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  /** Why this one, for `doctor`, the log and the stats of each result. */
  readonly reason: string;
}

/** The sandboxes of one Toolwright, each started when it is first asked for. */
export interface SandboxSet extends AsyncDisposable {
  /** The guest language that a sandbox is certainly wanted for: the first that a named one runs, or JavaScript. */
  readonly primary: Guest;
  /**
   * The sandbox for a guest language. With `auto` the strongest that works here. One that was named and does not work, or
   * does not run the language, is an error, `SANDBOX_UNAVAILABLE`: nothing else ever takes its place. `name` asks for
   * another one than `auto` would take; a set of a sandbox that was named has no other.
   */
  for(guest: Guest, name?: string): Promise<ChosenSandbox>;
}

export interface SandboxSetOptions {
  /** A name, `auto`, or a sandbox of the caller's own, which is closed together with the set. */
  readonly sandbox: string | Sandbox;
  readonly memoryBytes: number;
  readonly settings?: SandboxSettings;
  /** Told once for each sandbox that is taken. */
  readonly onChoice?: (guest: Guest, chosen: ChosenSandbox) => void;
}

/** Opens a set. Raises `CONFIG_INVALID` for a name that no sandbox has. */
export function openSandboxes(
  { sandbox, memoryBytes, settings = {}, onChoice }: SandboxSetOptions,
  choices: readonly SandboxChoice[] = SANDBOXES,
): SandboxSet {
  /** By guest language and name. */
  const chosen = new Map<string, Promise<ChosenSandbox>>();
  const created = new Map<string, Promise<Sandbox>>();
  const named = typeof sandbox === 'string' ? sandbox : undefined;
  const requireKnown = (wanted: string) => {
    if (wanted === 'auto' || choices.some(({ name }) => name === wanted)) return;
    const known = ['auto', ...choices.map(({ name }) => name)].join(', ');
    throw new SandboxError('CONFIG_INVALID', `There is no sandbox "${wanted}". This version has: ${known}.`);
  };
  if (named !== undefined) requireKnown(named);

  const choose = async (guest: Guest, wanted: string): Promise<ChosenSandbox> => {
    if (typeof sandbox !== 'string') {
      if (sandbox.languages.includes(guest)) return { sandbox, reason: 'given by the program' };
      throw cannotRun(sandbox, guest, choices);
    }
    const { choice, reason } =
      wanted === 'auto' ? await strongest(guest, choices, settings) : await byName(wanted, guest, choices, settings);
    const made = created.get(choice.name) ?? Promise.resolve(choice.create({ ...settings, memoryBytes }));
    created.set(choice.name, made);
    return { sandbox: await made, reason };
  };

  const languages =
    typeof sandbox === 'string' ? choices.find(({ name }) => name === named)?.languages : sandbox.languages;
  return {
    primary: languages?.[0] ?? 'javascript',
    async for(guest, name) {
      const own = typeof sandbox === 'string' ? sandbox : sandbox.name;
      const wanted = name ?? own;
      // Who configured a sandbox has ruled out the others.
      if (wanted !== own && own !== 'auto') {
        const message = `Programs run in the sandbox "${own}" here, which the configuration names. Leave "${wanted}" out.`;
        throw new SandboxError('SANDBOX_UNAVAILABLE', message);
      }
      requireKnown(typeof sandbox === 'string' ? wanted : 'auto');
      const key = `${guest} ${wanted}`;
      const known = chosen.get(key);
      if (known) return known;
      const choosing = choose(guest, wanted);
      chosen.set(key, choosing);
      // What is missing now may be installed before the next attempt.
      choosing.then(
        (found) => onChoice?.(guest, found),
        () => chosen.delete(key),
      );
      return choosing;
    },
    async [Symbol.asyncDispose]() {
      const all = [...created.values(), ...(typeof sandbox === 'string' ? [] : [sandbox])];
      await Promise.allSettled(all.map(async (made) => (await made)[Symbol.asyncDispose]()));
    },
  };
}

interface Choice {
  readonly choice: SandboxChoice;
  readonly reason: string;
}

async function byName(
  name: string,
  guest: Guest,
  choices: readonly SandboxChoice[],
  settings: SandboxSettings,
): Promise<Choice> {
  const choice = choices.find((candidate) => candidate.name === name);
  if (!choice?.languages.includes(guest)) throw cannotRun({ name, languages: choice?.languages ?? [] }, guest, choices);
  const probe = await choice.probe(guest, settings);
  if (probe.available) return { choice, reason: `asked for by name: ${probe.reason}` };
  const message = `The sandbox "${name}" does not work here: ${describe(probe)}`;
  throw new SandboxError('SANDBOX_UNAVAILABLE', message);
}

async function strongest(guest: Guest, choices: readonly SandboxChoice[], settings: SandboxSettings): Promise<Choice> {
  const missing: string[] = [];
  for (const choice of choices) {
    if (!choice.auto || !choice.languages.includes(guest)) continue;
    const probe = await choice.probe(guest, settings);
    if (probe.available) return { choice, reason: `the strongest that works here: ${probe.reason}` };
    missing.push(`${choice.name}: ${describe(probe)}`);
  }
  const message = `No sandbox for ${guest} works here. ${missing.join('; ')}`;
  throw new SandboxError('SANDBOX_UNAVAILABLE', message);
}

function describe({ reason, fix }: SandboxProbe): string {
  return `${reason}${fix ? ` (${fix})` : ''}`;
}

function cannotRun(
  { name, languages }: Pick<Sandbox, 'name' | 'languages'>,
  guest: Guest,
  choices: readonly SandboxChoice[],
): SandboxError {
  const able = choices.filter((choice) => choice.languages.includes(guest)).map((choice) => choice.name);
  const message = `The sandbox "${name}" runs ${languages.join(' and ')}, not ${guest}. For ${guest} there is: ${able.join(', ') || 'none'}, or "auto".`;
  return new SandboxError('SANDBOX_UNAVAILABLE', message);
}
