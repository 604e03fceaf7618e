import { type ExtractedType, TEXT_FORMATS, type Trust } from '../schema.ts';
import { eachLeaf, withoutPlaces } from './leaves.ts';
import type { ToolTrust } from './trust.ts';

/** A field of an answer that a program received. */
export interface AnswerField {
  /** Number of the call. */
  readonly call: number;
  readonly tool: string;
  readonly server: string;
  /** Its path in the answer: `[0].sender`. Empty for an answer that is one text. */
  readonly path: string;
  readonly trust: Trust;
  /** Whether only its readers may receive it. */
  readonly isPrivate: boolean;
  /** The object that has it. */
  readonly parent: object | undefined;
}

/** An answer of a tool. */
export interface Answer {
  readonly call: number;
  readonly tool: string;
  readonly server: string;
  readonly data: unknown;
  readonly trust: ToolTrust;
  /** Returns whether a field is private, by its path. Default: none is. */
  readonly isPrivate?: ((path: string) => boolean) | undefined;
}

/** The known facts about the answers of tools. */
export interface KnownAnswers {
  /** Returns the fields whose whole value this is, the most trusted ones first. */
  fieldsOf(value: string): readonly AnswerField[];
  /** Returns the type of a value that `extract` returned, by its forms. Undefined for any other value, and for a text without a format. */
  extractedType(forms: readonly string[]): ExtractedType | undefined;
  /** Returns a field with a text that contains a form of a value, or whose decoding does. */
  partOf(forms: readonly string[]): AnswerField | undefined;
}

/** The answers that a program received. */
export interface Answers extends KnownAnswers {
  add(answer: Answer): void;
  /** Adds data that `extract` returned to the program. */
  addExtracted(data: unknown): void;
  /** Returns the tools with answers, in the order of their first call. */
  tools(): readonly string[];
}

const TYPES_OF_TEXTS = Object.entries({ ...TEXT_FORMATS, uri: /^https?:\/\/\S+$/i }) as [ExtractedType, RegExp][];

/** Values that are indexed in all, and for one value. */
const MAX_VALUES = 200_000;
const MAX_FIELDS = 4;
/** Longer texts are searched for parts only. */
const MAX_WHOLE = 512;
/** Characters of a value that is searched as a part. */
const MAX_SEARCHED = 4_096;
/** Characters of all texts that are searched for parts. */
const MAX_TEXT = 4 * 1024 * 1024;
const ORDER = { owner: 0, organisation: 1, public: 2 } as const;

/** Creates the list of answers of one execution. It forgets values beyond its limits: their origin is unknown then. */
export function createAnswers(): Answers {
  const byValue = new Map<string, AnswerField[]>();
  const extracted = new Map<string, ExtractedType>();
  const texts: { readonly text: string; readonly field: AnswerField }[] = [];
  const tools = new Set<string>();
  let characters = 0;
  let count = 0;
  const index = (value: string, field: AnswerField) => {
    const known = byValue.get(value);
    if (known === undefined) {
      if (++count <= MAX_VALUES) byValue.set(value, [field]);
    } else if (known.length < MAX_FIELDS || field.trust !== 'public' || isNewPrivate(field, known)) {
      if (known.length >= MAX_FIELDS)
        known.splice(
          known.findLastIndex(({ isPrivate }) => !isPrivate),
          1,
        );
      known.push(field);
      known.sort((a, b) => ORDER[a.trust] - ORDER[b.trust]);
    }
  };
  return {
    add({ call, tool, server, data, trust, isPrivate }) {
      tools.add(tool);
      eachLeaf(data, ({ path, value, parent }) => {
        const text = String(value).trim();
        if (text === '') return;
        const plain = withoutPlaces(path);
        const field = {
          call,
          tool,
          server,
          path,
          trust: trust.ofField(plain),
          isPrivate: isPrivate?.(plain) ?? false,
          parent,
        };
        if (text.length <= MAX_WHOLE) index(text, field);
        if (typeof value === 'string' && characters + text.length <= MAX_TEXT) {
          characters += text.length;
          texts.push({ text, field });
        }
      });
    },
    addExtracted(data) {
      eachLeaf(data, ({ value }) => {
        const type = typeOf(value);
        if (type !== undefined && extracted.size < MAX_VALUES) extracted.set(String(value), type);
      });
    },
    extractedType: (forms) => forms.map((form) => extracted.get(form)).find((type) => type !== undefined),
    fieldsOf: (value) => byValue.get(value.trim()) ?? [],
    partOf(forms) {
      const wanted = forms.map((form) => form.trim()).filter((form) => form.length >= 3 && form.length <= MAX_SEARCHED);
      const find = (parts: readonly string[]) =>
        texts.find(({ text }) => parts.some((part) => text.includes(part)))?.field;
      return find(wanted) ?? find(wanted.flatMap(encodings));
    },
    tools: () => [...tools],
  };
}

function typeOf(value: string | number): ExtractedType | undefined {
  if (typeof value === 'number') return 'number';
  return TYPES_OF_TEXTS.find(([, pattern]) => pattern.test(value))?.[0];
}

function isNewPrivate({ isPrivate, tool }: AnswerField, known: readonly AnswerField[]): boolean {
  return isPrivate && !known.some((field) => field.isPrivate && field.tool === tool);
}

/** Returns the forms in which a text may hide a value: base64 at any offset, hexadecimal, percent-encoded and reversed. */
function encodings(value: string): string[] {
  const bytes = Buffer.from(value);
  // The first and last characters depend on the text around the value.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
      .slice(offset === 0 ? 0 : offset + 1, -1),
  );
  const all = [...base64, bytes.toString('hex'), encodeURIComponent(value), [...value].reverse().join('')];
  return all.filter((each) => each.length >= 4 && each !== value);
}
