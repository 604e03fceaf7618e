import { ToolwrightError } from '../errors.ts';
import { probeQuickjs, quickjsSandbox } from './quickjs.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** A sandbox that can be chosen by name. */
export interface SandboxChoice {
  readonly name: string;
  probe(): Promise<SandboxProbe>;
  create(options: { readonly memoryBytes: number }): Sandbox;
}

/** All sandboxes of this version, the strongest first: the order in which `auto` tries them. */
export const SANDBOXES: readonly SandboxChoice[] = [
  {
    name: 'quickjs',
    probe: probeQuickjs,
    create: ({ memoryBytes }) => quickjsSandbox({ warmMemoryBytes: memoryBytes }),
  },
];

export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  /** Why this one, for `doctor` and the log. */
  readonly reason: string;
}

/**
 * Makes the sandbox of a name, or with `auto` the strongest that works here. A sandbox that was named and does not work
 * is an error, `SANDBOX_UNAVAILABLE`: nothing weaker ever takes its place.
 */
export async function chooseSandbox(
  name: string,
  options: { readonly memoryBytes: number },
  sandboxes: readonly SandboxChoice[] = SANDBOXES,
): Promise<ChosenSandbox> {
  const named = sandboxes.filter((choice) => name === 'auto' || choice.name === name);
  if (named.length === 0) {
    const known = ['auto', ...sandboxes.map((choice) => choice.name)].join(', ');
    throw new ToolwrightError('CONFIG_INVALID', `There is no sandbox "${name}". This version has: ${known}.`);
  }
  const missing: string[] = [];
  for (const choice of named) {
    const probe = await choice.probe();
    if (probe.available) {
      const why = name === 'auto' ? 'the strongest that works here' : 'named in the configuration';
      return { sandbox: choice.create(options), reason: `${why}: ${probe.reason}` };
    }
    const why = `${probe.reason}${probe.fix ? ` (${probe.fix})` : ''}`;
    if (name !== 'auto') {
      throw new ToolwrightError('SANDBOX_UNAVAILABLE', `The sandbox "${name}" does not work here: ${why}`);
    }
    missing.push(`${choice.name}: ${why}`);
  }
  throw new ToolwrightError('SANDBOX_UNAVAILABLE', `No sandbox works here. ${missing.join('; ')}`);
}
