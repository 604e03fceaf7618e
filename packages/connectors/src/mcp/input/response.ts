import type { FormSchema, InputAnswer, InputDetails } from '../../input.ts';
import { refused } from './request.ts';

/**
 * Returns the result of a server's request. Fields of a form that the person left out get their defaults (specification: Elicitation,
 * SEP-1034). Raises `TOOL_FAILED` for a request for a model that got no answer.
 */
export function inputResponse(details: InputDetails, { action, value }: InputAnswer): Record<string, unknown> {
  switch (details.mode) {
    case 'roots':
      return { roots: action === 'answer' && Array.isArray(value) ? value : [] };
    case 'sampling':
      if (action === 'answer') return Object(value);
      throw refused(details.server, 'no model answers it');
    case 'url':
      return { action: action === 'answer' ? 'accept' : action };
    case 'form':
      if (action !== 'answer') return { action };
      return { action: 'accept', content: withDefaults(details.requestedSchema, Object(value)) };
  }
}

/** Returns the values of a form in the order of its fields, with the defaults of those that are left out. */
function withDefaults({ properties }: FormSchema, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      const value = values[name] ?? field.default;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
