import type { Tool } from '@toolwright/connectors';
import type { LeafFlow } from '@toolwright/sandbox/internal';
import type { Trust } from '../schema.ts';
import type { KnownAnswers } from './answers.ts';
import { type AnswerField, createAnswers } from './answers.ts';
import type { ToolFlow } from './flow.ts';
import type { ArgumentValue, ValueOrigin } from './followed.ts';
import { type FollowedData, followData, type Leak, leaksOf, type SeenData } from './followed.ts';
import { eachLeaf, type Leaf } from './leaves.ts';
import type { OwnPlaces } from './own.ts';
import type { Readers, Source } from './readers.ts';
import { nameWords } from './sink-words.ts';
import { isDeclared, type ToolSinks } from './sinks.ts';
import type { ToolTrust } from './trust.ts';
import { normal, type TrustedText, trustedText } from './trusted-text.ts';

/** The parts of a policy that define the origin of data and the meaning of arguments. */
export interface OriginRules {
  readonly trustOf: (tool: Tool) => ToolTrust;
  readonly sinksOf: (tool: Tool) => ToolSinks;
  readonly own: OwnPlaces;
  /** Absent where no data is private. */
  readonly readers?: Readers | undefined;
}

/** The arguments of one call, with their origins. */
export interface CallOrigins {
  /** Whether the program was written before its author could see public data. */
  readonly isOwnProgram: boolean;
  /** Whether its text names the tool at each place that may be this call, so that no data chose it. */
  readonly isNamedTool: boolean;
  /** Undefined for arguments with more values than are examined. */
  readonly values: readonly ArgumentValue[] | undefined;
  /** Returns the private data that the call would send outside of its readers. */
  readonly leaks: () => readonly Leak[];
  /** Finds a text with a value of unknown origin. Slow: for people only. */
  readonly partOf: (forms: readonly string[]) => AnswerField | undefined;
}

/** The origins of the values of one execution. */
export interface ExecutionOrigins {
  /** Returns the origins of a call's arguments: as the program wrote them, and with restored values. */
  of(tool: Tool, written: unknown, restored: unknown): CallOrigins;
  /** Adds the answer of a call, before the program receives it. Resolves when the session knows that public data was seen. */
  received(call: number, tool: Tool, data: unknown): Promise<void>;
  /** Adds data that `extract` returns to the program. It keeps the label of its text. */
  extracted(data: unknown): void;
  /** Notes that the program reads other data that may be public: a file of the session, or the error of a tool. */
  sawOther(failed?: Source): Promise<void>;
  /** Notes that the program reads data of other sessions: the result of another execution, a skill. */
  readOther(): Promise<void>;
}

/** Everything that the origins of one execution need. */
export interface OriginSources {
  readonly rules: OriginRules;
  readonly request: string | undefined;
  readonly source: string;
  /** See {@link CallOrigins.isOwnProgram}. */
  readonly isOwnProgram: boolean;
  /** Returns the flow into the arguments of a tool. Absent for a language without this analysis. */
  readonly flowOf?: ((tool: Tool) => ToolFlow) | undefined;
  /** Notes durably that public data was seen in the session. */
  readonly noteSeen: () => Promise<void>;
  /** The followed data that was seen before. Default: none. */
  readonly seen?: SeenData;
  /** Notes durably that followed data was seen in the session. */
  readonly noteSource?: (source: Source) => Promise<void>;
}

const UNSEEN: SeenData = { byAuthor: [], byUser: [] };

/** Opens the origins of an execution. */
export function openOrigins({
  rules,
  request,
  source,
  isOwnProgram,
  flowOf,
  noteSeen,
  seen = UNSEEN,
  noteSource = async () => {},
}: OriginSources): ExecutionOrigins {
  const answers = createAnswers();
  const labels = new Map<string, Trust>();
  const followed = rules.readers && followData(rules.readers, seen, noteSource);
  const text = request === undefined ? undefined : trustedText(request);
  const known = { answers, own: rules.own, request: text, followed };
  const program = isOwnProgram ? programText(source) : undefined;
  let noted: Promise<void> | undefined;
  const sawOther = () => {
    noted ??= noteSeen();
    return noted;
  };
  return {
    of: (tool, written, restored) =>
      callOrigins(tool, written, restored, { ...known, program, rules, labels, flow: flowOf?.(tool) }),
    async received(call, tool, data) {
      const trust = rules.trustOf(tool);
      labels.set(tool.id, trust.label);
      const isPrivate = rules.readers?.isFollowed(tool) ? rules.readers.isPrivateField(tool) : undefined;
      answers.add({ call, tool: tool.id, server: tool.server, data, trust, isPrivate });
      await followed?.received(tool);
      if (trust.label === 'public') await sawOther();
    },
    extracted: answers.addExtracted,
    async sawOther(failed) {
      if (failed) await followed?.received(failed);
      await sawOther();
    },
    async readOther() {
      followed?.readOther();
      await sawOther();
    },
  };
}

interface Known {
  readonly request: TrustedText | undefined;
  readonly program: TrustedText | undefined;
  readonly own: OwnPlaces;
  readonly answers: KnownAnswers;
  readonly flow?: ToolFlow | undefined;
  /** The labels of the tools that answered. */
  readonly labels?: ReadonlyMap<string, Trust>;
  readonly followed?: FollowedData | undefined;
}

/** Values of one call that are examined. */
const MAX_VALUES = 1_000;

/** Returns the origins of a call's arguments. */
export function callOrigins(
  tool: Tool,
  written: unknown,
  restored: unknown,
  known: Known & { readonly rules: OriginRules },
): CallOrigins {
  const { program, answers, flow, followed } = known;
  const frame = {
    isOwnProgram: program !== undefined,
    isNamedTool: flow?.isNamed === true,
    partOf: answers.partOf,
  };
  const leaves = leavesOf(restored);
  if (leaves === undefined || leaves.length > MAX_VALUES) return { ...frame, values: undefined, leaks: () => [] };
  const before = leavesOf(written);
  // Restoring keeps the order and number of values.
  const asWritten = before?.length === leaves.length ? before : leaves;
  const sinks = known.rules.sinksOf(tool);
  const words = nameWords(tool.definition.name);
  const byNames = new Map<readonly string[], readonly string[]>();
  // The items of a list have one list of names.
  const wordsOf = (names: readonly string[]) => {
    const found = byNames.get(names) ?? [...words, ...names.flatMap(nameWords)];
    byNames.set(names, found);
    return found;
  };
  const values = leaves.map(({ path, names, value }, index): ArgumentValue => {
    const [form, source] = [String(value), String(asWritten[index]?.value ?? value)];
    const forms = form === source ? [form] : [form, source];
    const leaf = flow?.leaf(path);
    const ownWords = () => wordsOf(names);
    const isRequested = once(() => isIn(known.request, forms, ownWords()));
    const origin = once(() => originOf(forms, ownWords(), known, leaf, isRequested));
    const carries = once(
      () =>
        followed?.carriedBy({
          isNamed: () => isRequested() || forms.some((form) => known.own(form) !== undefined),
          fields: () => forms.flatMap((form) => answers.fieldsOf(form)),
          hasKnownName: () => isDeclared(tool.definition.inputSchema, names),
          leaf,
          isIdentifying: (field) => isIdentifying(forms[0] ?? '', field.path, ownWords()),
        }) ?? [],
    );
    const isSelected = leaf !== undefined && !leaf.isComputed && !leaf.from.includes('?');
    const kind = sinks(names, value);
    const extractedType = () => answers.extractedType(forms);
    return {
      path,
      argument: names[0] ?? '',
      value,
      forms,
      kind,
      isSelected,
      origin,
      isRequested,
      extractedType,
      carries,
    };
  });
  return { ...frame, values, leaks: once(() => leaksOf(tool, values, followed)) };
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

function isIn(text: TrustedText | undefined, forms: readonly string[], labels: readonly string[]): boolean {
  return text !== undefined && forms.some((form) => text.has(form, labels));
}

function leavesOf(data: unknown): readonly Leaf[] | undefined {
  const leaves: Leaf[] = [];
  return eachLeaf(data, (leaf) => leaves.push(leaf)) ? leaves : undefined;
}

function originOf(
  forms: readonly string[],
  labels: readonly string[],
  known: Known,
  leaf: LeafFlow | undefined,
  isRequested: () => boolean,
): ValueOrigin {
  const { request, program, own, answers, flow } = known;
  if (isRequested()) return { proof: 'request' };
  if (forms.some((form) => own(form) !== undefined)) return { proof: 'own' };
  // Data that chooses the tool may choose its arguments among the texts of the program too.
  const isWritten = program && flow?.isNamed !== false;
  if (isWritten && forms.some((form) => program.has(form))) return { proof: 'program' };
  const fields = forms.flatMap((form) => answers.fieldsOf(form));
  const trusted = fields.find(({ trust }) => trust !== 'public');
  if (trusted) return { proof: trusted.trust, field: trusted };
  const flowing = program && leaf && ofFlow(leaf, known.labels);
  if (flowing) return { proof: flowing };
  const named = request && fields.find((field) => isNamed(field, request));
  if (named) return { proof: 'public', field: named, isNamed: true };
  const field = fields.find(({ path }) => isIdentifying(forms[0] ?? '', path, labels));
  return field ? { proof: 'public', field } : { proof: 'unknown' };
}

/** Only the text of an own program, or only trusted answers and that text, can reach the value. */
function ofFlow({ from }: LeafFlow, labels: Known['labels']): 'program' | Trust | undefined {
  if (from.length === 0) return 'program';
  const reached = from.map((source) => labels?.get(source) ?? 'public');
  if (reached.includes('public')) return undefined;
  return reached.includes('organisation') ? 'organisation' : 'owner';
}

const SHORT = 4;

/** A short value occurs in many fields by accident: the field must be an id, or have a name of the argument. */
function isIdentifying(value: string, path: string, labels: readonly string[]): boolean {
  if (value.length >= SHORT) return true;
  const words = nameWords(
    path
      .replace(/(\[\d+\])+$/, '')
      .split('.')
      .at(-1) ?? '',
  );
  return words.some((word) => word === 'id' || labels.includes(word));
}

const MAX_SIBLINGS = 30;
const MIN_NAME = 4;
const NAMING =
  /^(?:.*[_\W])?(?:title|(?:file|user|display|full)?name|path|subject|summary|label|slug|key|number|email|symbol|id)$|(?:Name|Title|Id|Number|Key)$/;

/** Returns whether the request has another short text of the record that has a field: its title, or its name. */
function isNamed({ parent, path }: AnswerField, request: TrustedText): boolean {
  if (parent === undefined || Array.isArray(parent)) return false;
  const own = path.split('.').at(-1) ?? '';
  // Another member of the record is no name of it: `hotel` of a booking.
  if (!NAMING.test(own.replace(/(?:\[\d+\]|_)+$/, ''))) return false;
  return Object.entries(parent)
    .slice(0, MAX_SIBLINGS)
    .some(
      ([name, value]) =>
        name !== own &&
        NAMING.test(name) &&
        typeof value === 'string' &&
        value.length >= MIN_NAME &&
        value.length <= 200 &&
        (request.has(value) || request.has(spoken(value))),
    );
}

/** Returns the name of a file as people say it: `grocery list` for `grocery-list.docx`. */
function spoken(name: string): string {
  return name.replace(/\.[a-z0-9]{1,5}$/i, '').replaceAll(/[-_]+/g, ' ');
}

const MIN_PROGRAM_TOKEN = 6;
const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`']);

/** Reads the text of a program. A short value counts only between quotes, and a number under four digits never does. */
function programText(source: string): TrustedText {
  const tokens = trustedText(source);
  const plain = normal(source);
  return {
    has(value) {
      const wanted = normal(value);
      if (wanted === '' || /^\d{1,3}$/.test(wanted)) return false;
      for (let at = plain.indexOf(wanted); at >= 0; at = plain.indexOf(wanted, at + 1)) {
        const quote = plain.charAt(at - 1);
        if (QUOTES.has(quote) && plain.charAt(at + wanted.length) === quote) return true;
      }
      return wanted.length >= MIN_PROGRAM_TOKEN && tokens.has(value);
    },
  };
}
