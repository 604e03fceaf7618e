/**
 * Returns the steps of a recorded conversation: `{ user }` for a message of the user, and `{ text, queries, calls }` for a turn of the model.
 * `entryOf(name, arguments)` returns a query as `{ query }`, or a call as `{ server, name, arguments }`. `resultOf` returns the `text` of a
 * result, and `isError`. Calls of tools that the catalog lacks are inventions of the model, and are left out.
 */
export function stepsOf(messages, catalog, { entryOf, resultOf }) {
  const listed = new Set(catalog.map(({ server, name }) => `${server}__${name}`));
  const entries = new Map();
  const steps = [];
  for (const { role, content, tool_calls: calls, tool_call_id: answered } of messages) {
    if (role === 'user') steps.push({ user: content });
    else if (role === 'tool') Object.assign(entries.get(answered), resultOf(content));
    else if (role === 'assistant') {
      const made = (calls ?? []).map(({ id, function: { name, arguments: args } }) => {
        entries.set(id, entryOf(name, JSON.parse(args)));
        return entries.get(id);
      });
      steps.push({
        text: content ?? '',
        queries: made.filter(({ query }) => query !== undefined).map(({ query }) => query),
        calls: made.filter(({ server, name }) => listed.has(`${server}__${name}`)),
      });
    }
  }
  return steps;
}
