import type { Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { redactedFor } from '../redacted.ts';
import { asLine } from '../terminal.ts';

/** The tool pins of a Toolwright, as the library has them. */
type Pin = Awaited<ReturnType<Toolwright['pins']['list']>>[number];

export interface PinsArguments {
  /** Ids of tools to accept. */
  readonly approve: readonly string[];
  /** Whether to accept all tools in quarantine. */
  readonly all: boolean;
  readonly json: boolean;
}

/** Lists the pins of all tools with the changes of definitions, or accepts tools. Returns the exit code. */
export async function pins(
  toolwright: Toolwright,
  { approve, all, json }: PinsArguments,
  output: Output,
  waitMs: number,
): Promise<number> {
  const { mode } = toolwright.pins;
  const listed = await toolwright.pins.list({ waitMs });
  const held = listed.filter(isHeld).map(({ id }) => id);
  const wanted = all ? held : approve;
  if (all && approve.length > 0) throw new UsageError('Use either --approve NAME or --all.');
  const approved = wanted.length > 0 ? await toolwright.pins.approve(wanted) : [];
  const shown = await redactedFor(wanted.length > 0 ? approved : listed, toolwright, output, json);
  if (json) output.out(JSON.stringify({ mode, pins: shown }));
  else if (all || wanted.length > 0) for (const { id } of shown) output.out(`approved  ${asLine(id)}`);
  else for (const pin of shown) output.out(linesOf(pin));
  for (const line of json ? [] : notesOf(mode, wanted.length > 0 || all ? [] : held)) output.err(line);
  const servers = await toolwright.servers({ profile: '*' });
  return servers.every(({ status }) => status.state === 'ready') ? EXIT.completed : EXIT.defect;
}

function linesOf({ id, state, reasons, diff, approvedAt }: Pin): string {
  const approved = approvedAt === undefined ? '' : `  approved ${approvedAt}`;
  return [
    `${state.padEnd(11)}  ${asLine(id)}${state === 'accepted' ? approved : ''}`,
    ...reasons.map(({ code, text }) => `  ${code}: ${asLine(text)}`),
    ...(diff === undefined ? [] : diff.split('\n').map((line) => `    ${asLine(line)}`)),
  ].join('\n');
}

function notesOf(mode: string, held: readonly string[]): string[] {
  if (mode === 'off') return ['Pinning is off ("pin": "off"): no tool is checked.'];
  if (held.length === 0) return [];
  const effect =
    mode === 'block' ? 'They are hidden from programs.' : 'Programs can call them, because "pin" is "warn".';
  const [first = ''] = held;
  return [
    `${held.length} of the tools are in quarantine. ${effect} Accept one: toolwright tools pins --approve ${asLine(first)}`,
  ];
}

function isHeld({ state }: Pin): boolean {
  return state === 'quarantined';
}
