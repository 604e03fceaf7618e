import type { PendingQuestion } from '@toolwright/core';
import { asLine } from '../terminal.ts';

/** A field of a form, for a person. */
export interface ShownField {
  readonly name: string;
  readonly field: Readonly<Record<string, unknown>>;
  readonly isRequired: boolean;
  /** The values among which the person chooses, with their titles. */
  readonly choices: readonly { readonly value: unknown; readonly title: string }[];
}

/** Returns the fields of the form of a question. */
export function fieldsOf(details: unknown): readonly ShownField[] {
  const { properties = {}, required = [] } = Object(Object(details).requestedSchema);
  return Object.entries<Readonly<Record<string, unknown>>>(properties).map(([name, field]) => ({
    name,
    field,
    isRequired: required.includes(name),
    choices: choicesOf(field),
  }));
}

/** Returns the question of a server, or the link of a login, as lines for a terminal. Each text of the server stays in its line. */
export function detailLines({ kind, details }: PendingQuestion): readonly string[] {
  const { server, mode, message, url, isLive } = Object(details);
  const link = typeof url === 'string' ? [`  open ${asLine(url)}`] : [];
  if (kind === 'authorization') return [`  ${asLine(String(server))} needs a login`, ...link];
  if (kind !== 'input') return [];
  const asks = mode === 'sampling' ? 'asks for an answer of a model' : asLine(String(message));
  const wait = isLive
    ? ['  The server waits while the program runs. A later answer sends the call again from its start.']
    : [];
  return [`  ${asLine(String(server))}: ${asks}`, ...fieldsOf(details).map(fieldLine), ...link, ...wait];
}

/** Returns a field as one line. */
export function fieldLine({ name, field, isRequired, choices }: ShownField): string {
  const { title, description, type } = field;
  const label = [title, description].filter((text) => typeof text === 'string').map((text) => asLine(String(text)));
  const kinds =
    choices.length > 0 ? choices.map(({ value, title: shown }) => choiceText(value, shown)).join(' | ') : type;
  const rest =
    'default' in field ? `, default ${asLine(JSON.stringify(field.default))}` : isRequired ? ', required' : '';
  return `    ${asLine(name)} (${kinds}${rest})${label.length === 0 ? '' : `: ${label.join(', ')}`}`;
}

function choiceText(value: unknown, title: string): string {
  return title === String(value) ? asLine(title) : `${asLine(String(value))} (${asLine(title)})`;
}

/** Returns the choices of a field: titled and untitled ones, of one value or of a list (specification: Elicitation, SEP-1330). */
function choicesOf(field: Readonly<Record<string, unknown>>): ShownField['choices'] {
  const { oneOf, anyOf, enum: values, enumNames } = field.type === 'array' ? Object(field.items) : field;
  const titled = oneOf ?? anyOf;
  if (Array.isArray(titled)) return titled.map((choice) => titledChoice(Object(choice)));
  if (!Array.isArray(values)) return [];
  return values.map((value, index) => ({
    value,
    title: String((Array.isArray(enumNames) && enumNames[index]) || value),
  }));
}

function titledChoice({ const: value, title }: { const?: unknown; title?: unknown }) {
  return { value, title: String(title ?? value) };
}
