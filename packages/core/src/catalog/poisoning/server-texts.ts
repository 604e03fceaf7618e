import { FINDING_TEXTS, type FindingKind } from './finding.ts';
import { isHeldFor, scanDefinition } from './scan.ts';

/** Ordinary instructions of a server have them: it may order and prefer its own tools. */
const ORDINARY: ReadonlySet<FindingKind> = new Set(['order-of-tools', 'tool-preference', 'other-tools', 'pressure']);

/** The description or the instructions of a server. */
export interface ServerText {
  readonly server: string;
  readonly part: 'description' | 'instructions';
  readonly text: string;
}

/** Checks the texts of servers, which models read. */
export interface ServerTexts {
  /** Returns the text for models: the text itself, or in its place the reason for which it is hidden. */
  shown(text: ServerText): string;
}

export interface ServerTextsOptions {
  readonly mode: 'warn' | 'block';
  readonly log?: { warn(details: object, message: string): void } | undefined;
}

/** Checks texts of servers for hidden text and instructions to models, each once. With `block`, suspicious ones are hidden. */
export function checkServerTexts({ mode, log }: ServerTextsOptions): ServerTexts {
  const known = new Map<string, { readonly text: string; readonly problem: string | undefined }>();
  return {
    shown({ server, part, text }) {
      const key = JSON.stringify([server, part]);
      let checked = known.get(key);
      if (checked?.text !== text) {
        checked = { text, problem: problemOf(text) };
        known.set(key, checked);
        if (checked.problem !== undefined) {
          const hidden = mode === 'block';
          log?.warn({ server, part, problem: checked.problem, hidden }, 'a text of a server is suspicious');
        }
      }
      if (checked.problem === undefined || mode === 'warn') return text;
      return `(hidden by Toolwright: ${checked.problem})`;
    },
  };
}

/** Returns why a text is suspicious, as sentences without an end mark; undefined for an ordinary one. */
export function problemOf(text: string): string | undefined {
  const definition = { name: '', description: text, inputSchema: { type: 'object' } };
  const findings = scanDefinition(definition).filter(({ kind }) => !ORDINARY.has(kind));
  if (!isHeldFor(findings)) return undefined;
  return findings.map(({ kind }) => `it ${FINDING_TEXTS[kind]}`).join('; ');
}
