import type { LeafFlow } from '@toolwright/sandbox/internal';
import type { ExtractedType, SinkKind, Trust } from '../schema.ts';
import type { AnswerField } from './answers.ts';
import type { Readers, Source } from './readers.ts';

/**
 * The proven origin of a value. `request`, `program` and `own`: the request, the text of a program that no public data could influence, or a
 * list of the operator has it. `owner`, `organisation` and `public`: it is a whole field of an answer with this label. `unknown`: everything
 * that was received before could have influenced it.
 */
export interface ValueOrigin {
  readonly proof: 'request' | 'program' | 'own' | Trust | 'unknown';
  /** Of a field: where it is. Of an unknown value: a text that contains it. */
  readonly field?: AnswerField;
  /** Whether the request names the record that has the field. */
  readonly isNamed?: boolean;
  /** The origin in words, where only the text of the program is known. */
  readonly words?: string;
}

/** An argument with its meaning and origin. */
export interface ArgumentValue {
  readonly path: string;
  /** The name of the argument that has it. */
  readonly argument: string;
  readonly value: string | number;
  /** The value as text: restored, and as the program wrote it. */
  readonly forms: readonly string[];
  readonly kind: SinkKind;
  /** Whether it can only be an unchanged field of an answer of the same server: the text of the program shows it. */
  readonly isSelected: boolean;
  /** Computed at the first use. */
  readonly origin: () => ValueOrigin;
  /** Whether the request names it. */
  readonly isRequested: () => boolean;
  /** Returns its type if `extract` returned it. */
  readonly extractedType: () => ExtractedType | undefined;
  /** Returns the tools of whose followed data it may have a part. */
  readonly carries: () => readonly Source[];
}

/** The followed data that the author of a program may have seen. */
export interface SeenData {
  /** In the session, or by the user where the session is not known. */
  readonly byAuthor: readonly Source[];
  /** In all sessions of the user: other executions, skills and resources may have it. */
  readonly byUser: readonly Source[];
}

/** The data of followed tools in one execution. */
export interface FollowedData {
  readonly readers: Readers;
  /** Notes that the program receives data of a tool, before it does. */
  received(tool: Source): Promise<void>;
  /** Notes that the program reads data of other executions. */
  readOther(): void;
  /** Returns the tools whose data a value may have. `isNamed`: the request or a list of the operator has the value. */
  carriedBy(value: CarryingValue): readonly Source[];
}

interface CarryingValue {
  readonly isNamed: () => boolean;
  /** Whether the schema of the tool names the properties on the way to it: the program may have computed others. */
  readonly hasKnownName: () => boolean;
  /** The fields of answers whose whole value it is. */
  readonly fields: () => readonly AnswerField[];
  /** Absent where the text of the program does not show the flow. */
  readonly leaf: LeafFlow | undefined;
  /** Whether the field identifies the value: a short one is in many fields by accident. */
  readonly isIdentifying: (field: AnswerField) => boolean;
}

/** Private data that a call would send to somebody outside of its readers. */
export interface Leak {
  readonly value: ArgumentValue;
  readonly source: Source;
  /** The argument with the receiver. Absent: the tool itself may not receive it. */
  readonly to?: ArgumentValue;
}

const NOTHING: readonly Source[] = [];

/** Follows data through one execution. `note` resolves when the session has the source. */
export function followData(readers: Readers, seen: SeenData, note: (source: Source) => Promise<void>): FollowedData {
  const received = new Map<string, Source>();
  const others = new Map(seen.byAuthor.filter(readers.isFollowed).map((source) => [source.id, source]));
  const everything = () => [...new Map([...received, ...others]).values()];
  return {
    readers,
    async received({ id, server }) {
      if (received.has(id) || !readers.isFollowed({ id, server })) return;
      received.set(id, { id, server });
      await note({ id, server });
    },
    readOther() {
      for (const source of seen.byUser) if (readers.isFollowed(source)) others.set(source.id, source);
    },
    carriedBy({ isNamed, hasKnownName, fields, leaf, isIdentifying }) {
      if (received.size === 0 && others.size === 0) return NOTHING;
      const isKnown = hasKnownName();
      if (isKnown && isNamed()) return NOTHING;
      const whole = isKnown ? fields() : [];
      const own = whole
        .filter((field) => field.isPrivate && isIdentifying(field))
        .flatMap(({ tool }) => received.get(tool) ?? []);
      if (leaf === undefined) return whole.length > 0 && received.size === 0 ? NOTHING : everything();
      if (leaf.from.includes('?')) return everything();
      // An unchanged field has nothing of the program's text, nor of other fields.
      if (!leaf.isComputed && leaf.from.length === 1 && whole.some(isIdentifying)) return own;
      const flowing = leaf.from.flatMap((tool) => received.get(tool) ?? []);
      return [...new Map([...flowing, ...own, ...others.values()].map((source) => [source.id, source])).values()];
    },
  };
}

/** Returns the private data that a call would send outside of its readers. */
export function leaksOf(tool: Source, values: readonly ArgumentValue[], followed: FollowedData | undefined): Leak[] {
  if (followed === undefined) return [];
  const { readers } = followed;
  const carrying = values.flatMap((value) => value.carries().map((source) => ({ value, source })));
  if (carrying.length === 0) return [];
  const receivers = values.filter(isReceiver);
  const sources = new Map(carrying.map(({ source }) => [source.id, source]));
  const barred = new Map(
    [...sources].map(([id, source]) => [
      id,
      readers.isReader(source, tool)
        ? receivers.find(({ forms, isRequested }) => !readers.isReceiver(source, String(forms[0]), isRequested()))
        : tool,
    ]),
  );
  return carrying.flatMap(({ value, source }) => {
    const to = barred.get(source.id);
    if (to === undefined) return [];
    return 'forms' in to ? [{ value, source, to }] : [{ value, source }];
  });
}

const ADDRESS = /^\s*(?:[a-z][a-z0-9+.-]*:|\/\/|www\.)/i;
const ADDRESS_NAME = /ur[il]|link|href|host|domain|endpoint|webhook|site|server/i;

/** Returns whether a destination is on another host. A path of a file stays. */
export function isAddress({ kind, path, value }: ArgumentValue): boolean {
  return kind === 'destination' && (ADDRESS.test(String(value)) || ADDRESS_NAME.test(path));
}

function isReceiver(value: ArgumentValue): boolean {
  return value.kind === 'receiver' || isAddress(value);
}

/** Returns why a call may not carry the data, without values. */
export function leakWords({ value, source, to }: Leak): string {
  const reader = to === undefined ? 'this tool is no reader of it' : `"${to.path}" is no receiver of it`;
  return `"${value.path}" may have private data of ${source.id}, and ${reader}`;
}
