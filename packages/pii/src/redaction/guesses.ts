import { PiiError } from '../errors.ts';
import type { AuditSink } from '../policy/audit.ts';
import { sourcesOf } from '../vault/record.ts';
import type { Known, Vault } from '../vault/vault.ts';

/** Values of tools that the programs of one session may write without having received them. */
const MAX_GUESSES = 1_000;
/** Values that they may write in all. */
const MAX_WRITTEN = 10_000;

/** Letters and digits of the shortest value that counts: shorter ones are in many texts. */
const MIN_ECHO = 4;
const PLACEHOLDERS = /\[[A-Z][A-Z0-9_]{1,23}_\d{1,9}\]/g;

/** Audits that a value was compared; with a reason, that this was denied. The comparison waits for the record. */
export type MatchAudit = (known: Known, reason?: string) => void | Promise<void>;

/** Returns the audit of comparisons in one session. */
export function matchAudit(vault: Pick<Vault, 'owner'>, audit: AuditSink): MatchAudit {
  return ({ name, type }, reason) =>
    audit({
      ...vault.owner,
      at: new Date().toISOString(),
      event: reason === undefined ? 'derivation' : 'denial',
      placeholder: name,
      type,
      derivation: 'match',
      ...(reason === undefined ? {} : { reason }),
    });
}

/**
 * Counts values that a program wrote without having received them, right guesses and wrong ones. Whether one equals a value of a tool
 * shows in its placeholder. Raises `PII_DENIED` after 10,000 in a session, or after 1,000 that are values of tools.
 */
export async function countGuesses(
  names: readonly string[],
  { vault, record }: { readonly vault: Vault; readonly record: MatchAudit },
): Promise<void> {
  if (names.length === 0) return;
  const found = [...(await vault.find(names)).values()];
  const right = found.filter((known) => sourcesOf(known).size > 0);
  const isTooMany =
    (await vault.count('written', found.length)) > MAX_WRITTEN ||
    (await vault.count('guesses', right.length)) > MAX_GUESSES;
  const reason = isTooMany ? 'the programs of this session guess values' : undefined;
  await Promise.all(right.map((known) => record(known, reason)));
  if (!isTooMany) return;
  throw new PiiError(
    'PII_DENIED',
    `The programs of this session wrote more than ${MAX_WRITTEN} values that they had not received, or more than ${MAX_GUESSES} values of tools. Get the values from the tool, or start a new session.`,
  );
}

/** Returns the names of the values that a tool returned because a program wrote them, in any case and with any separators. */
export function echoedNames(args: unknown, returned: ReadonlyMap<string, Known>): string[] {
  const written = plainForm((JSON.stringify(args) ?? '').replaceAll(PLACEHOLDERS, ''));
  const isEchoed = ({ spellings }: Known) =>
    spellings.map(({ text }) => plainForm(text)).some((form) => form.length >= MIN_ECHO && written.includes(form));
  return written.length < MIN_ECHO ? [] : [...returned.values()].filter(isEchoed).map(({ name }) => name);
}

/** Returns the letters and digits of a text without escapes, case and accents. */
function plainForm(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
