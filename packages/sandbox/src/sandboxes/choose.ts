import { SandboxError } from '../errors.ts';
import type { Program } from '../languages/language.ts';
import { type DockerSettings, dockerSandbox, probeDocker } from './docker.ts';
import { jailSandbox, probeJail } from './jail.ts';
import { type KubernetesSettings, kubernetesSandbox, probeKubernetes } from './kubernetes.ts';
import { microsandboxSandbox, probeMicrosandbox } from './microsandbox.ts';
import { probePyodide, pyodideSandbox } from './pyodide.ts';
import { probeQuickjs, quickjsSandbox } from './quickjs.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

type Guest = Program['guest'];

/** Settings of single sandboxes. */
export interface SandboxSettings {
  readonly docker?: DockerSettings | undefined;
  readonly kubernetes?: KubernetesSettings | undefined;
  /** Folder of the Python packages that programs can import. */
  readonly packages?: string | undefined;
}

/** A sandbox that can be chosen by name. */
export interface SandboxChoice {
  readonly name: string;
  readonly languages: readonly Guest[];
  /** Whether `auto` may choose it. A sandbox that needs an engine, an image or its own kernel is chosen by name only. */
  readonly auto: boolean;
  /**
   * Returns whether it works on this machine for a language. Raises `BUSY` if the machine is too short of something to find out:
   * no weaker sandbox is chosen then.
   */
  probe(guest: Guest, settings?: SandboxSettings): Promise<SandboxProbe>;
  create(options: SandboxSettings & { readonly memoryBytes: number }): Sandbox | Promise<Sandbox>;
}

/** All sandboxes of this version. `auto` tries them in this order, the strongest first. */
export const SANDBOXES: readonly SandboxChoice[] = [
  {
    name: 'jail',
    languages: ['javascript', 'python'],
    auto: true,
    probe: probeJail,
    create: ({ memoryBytes, packages }) => jailSandbox({ warmMemoryBytes: memoryBytes, packages }),
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
    create: ({ memoryBytes, packages }) => pyodideSandbox({ warmMemoryBytes: memoryBytes, packages }),
  },
  {
    name: 'docker',
    languages: ['javascript', 'python'],
    auto: false,
    probe: (_guest, { docker } = {}) => probeDocker(docker),
    create: ({ memoryBytes, packages, docker }) => dockerSandbox({ ...docker, warmMemoryBytes: memoryBytes, packages }),
  },
  {
    name: 'microsandbox',
    languages: ['javascript', 'python'],
    auto: false,
    probe: () => probeMicrosandbox(),
    create: ({ memoryBytes, packages }) => microsandboxSandbox({ warmMemoryBytes: memoryBytes, packages }),
  },
  {
    name: 'kubernetes',
    languages: ['javascript', 'python'],
    auto: false,
    probe: (_guest, { kubernetes } = {}) => probeKubernetes(kubernetes),
    create: ({ memoryBytes, packages, kubernetes }) =>
      kubernetesSandbox({ ...kubernetes, warmMemoryBytes: memoryBytes, packages }),
  },
];

export interface ChosenSandbox extends ChoiceReason {
  readonly sandbox: Sandbox;
}

interface ChoiceReason {
  /** Reason for the choice, for `doctor`, the log and the stats of each result. */
  readonly reason: string;
  /** Set when `auto` could not choose the strongest sandbox of the language: which ones do not work, why, and the fixes. */
  readonly warning?: string;
}

/** A set of sandboxes, each created at its first use. */
export interface SandboxSet extends AsyncDisposable {
  /** The first guest language of a named sandbox, or JavaScript for `auto`. */
  readonly primary: Guest;
  /**
   * Returns the sandbox for a guest language; for `auto` the strongest that works on this machine. Pass `name` to choose
   * another one of an `auto` set. Raises `SANDBOX_UNAVAILABLE` if a named sandbox does not work or does not run the language:
   * it is never replaced by another one. Raises `BUSY` if the machine lacks descriptors, processes, memory or time at present: a
   * later call tries again.
   */
  for(guest: Guest, name?: string): Promise<ChosenSandbox>;
}

export interface SandboxSetOptions {
  /** A name, `auto`, or an open sandbox, which is closed together with the set. */
  readonly sandbox: string | Sandbox;
  readonly memoryBytes: number;
  readonly settings?: SandboxSettings;
  /** Called once for each chosen sandbox. */
  readonly onChoice?: (guest: Guest, chosen: ChosenSandbox) => void;
}

/** Opens a set of sandboxes. Raises `CONFIG_INVALID` for an unknown name. */
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
    throw new SandboxError('CONFIG_INVALID', `There is no sandbox "${wanted}". The sandboxes are: ${known}.`);
  };
  if (named !== undefined) requireKnown(named);

  const choose = async (guest: Guest, wanted: string): Promise<ChosenSandbox> => {
    if (typeof sandbox !== 'string') {
      if (sandbox.languages.includes(guest)) return { sandbox, reason: 'passed by the application' };
      throw cannotRun(sandbox.name, sandbox.languages, guest, choices);
    }
    const { choice, ...why } =
      wanted === 'auto' ? await strongest(guest, choices, settings) : await byName(wanted, guest, choices, settings);
    const made = created.get(choice.name) ?? Promise.resolve(choice.create({ ...settings, memoryBytes }));
    created.set(choice.name, made);
    // A failure may have been a lack of something at that time.
    made.catch(() => created.delete(choice.name));
    return { sandbox: await made, ...why };
  };

  const languages =
    typeof sandbox === 'string' ? choices.find(({ name }) => name === named)?.languages : sandbox.languages;
  return {
    primary: languages?.[0] ?? 'javascript',
    async for(guest, name) {
      const own = typeof sandbox === 'string' ? sandbox : sandbox.name;
      const wanted = name ?? own;
      // A configured sandbox excludes all others.
      if (wanted !== own && own !== 'auto') {
        const message = `The configuration allows only the sandbox "${own}". Remove "${wanted}" from the request.`;
        throw new SandboxError('SANDBOX_UNAVAILABLE', message);
      }
      requireKnown(typeof sandbox === 'string' ? wanted : 'auto');
      const key = `${guest} ${wanted}`;
      const known = chosen.get(key);
      if (known) return known;
      const choosing = choose(guest, wanted);
      chosen.set(key, choosing);
      // A missing part may be installed before the next attempt.
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

interface Choice extends ChoiceReason {
  readonly choice: SandboxChoice;
}

async function byName(
  name: string,
  guest: Guest,
  choices: readonly SandboxChoice[],
  settings: SandboxSettings,
): Promise<Choice> {
  const choice = choices.find((candidate) => candidate.name === name);
  if (!choice?.languages.includes(guest)) throw cannotRun(name, choice?.languages ?? [], guest, choices);
  const probe = await choice.probe(guest, settings);
  if (probe.available) return { choice, reason: `chosen by name: ${probe.reason}` };
  const message = `The sandbox "${name}" is not available: ${describe(probe)}`;
  throw new SandboxError('SANDBOX_UNAVAILABLE', message);
}

async function strongest(guest: Guest, choices: readonly SandboxChoice[], settings: SandboxSettings): Promise<Choice> {
  const missing: string[] = [];
  for (const choice of choices) {
    if (!choice.auto || !choice.languages.includes(guest)) continue;
    const probe = await choice.probe(guest, settings);
    if (probe.available) {
      const reason = `the strongest available: ${probe.reason}`;
      if (missing.length === 0) return { choice, reason };
      return {
        choice,
        reason,
        warning: `Programs run in a weaker sandbox, because the best one does not work here. ${missing.join('; ')}`,
      };
    }
    missing.push(`${choice.name}: ${describe(probe)}`);
  }
  const message = `No sandbox for ${guest} is available. ${missing.join('; ')}`;
  throw new SandboxError('SANDBOX_UNAVAILABLE', message);
}

function describe({ reason, fix }: SandboxProbe): string {
  return `${reason}${fix ? ` (${fix})` : ''}`;
}

function cannotRun(
  name: string,
  languages: readonly Guest[],
  guest: Guest,
  choices: readonly SandboxChoice[],
): SandboxError {
  const able = choices.filter((choice) => choice.languages.includes(guest)).map((choice) => choice.name);
  const message = `The sandbox "${name}" runs ${languages.join(' and ')}, not ${guest}. For ${guest} there is: ${able.join(', ') || 'none'}, or "auto".`;
  return new SandboxError('SANDBOX_UNAVAILABLE', message);
}
