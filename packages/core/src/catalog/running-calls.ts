import type { Connector } from '@toolwright/connectors';
import { ToolwrightError } from '../errors.ts';
import type { ServerText, ServerTexts } from './poisoning/server-texts.ts';

/** A connector whose server can be removed when its running calls have ended. */
export interface CountedConnector {
  readonly connector: Connector;
  /** Refuses further calls with `CLOSED`. Resolves when the running ones have ended. */
  drain(): Promise<void>;
}

/** Counts the running calls of a connector, and reports those that succeed. Its texts are those for models. */
export function countCalls(source: Connector, onSuccess: () => void, texts?: ServerTexts): CountedConnector {
  const shown = (part: ServerText['part'], text: string | undefined) =>
    text === undefined || source.isTrusted ? text : (texts?.shown({ server: source.name, part, text }) ?? text);
  const running = new Set<Promise<unknown>>();
  let isRemoved = false;
  return {
    connector: {
      name: source.name,
      get description() {
        return shown('description', source.description);
      },
      get instructions() {
        return shown('instructions', source.instructions);
      },
      serverKey: source.serverKey,
      neverAsks: source.neverAsks ? true : undefined,
      clientHeaders: source.clientHeaders,
      status: () => source.status(),
      tools: () => source.tools(),
      context: source.context,
      onToolsChanged: (listener) => source.onToolsChanged(listener),
      async call(tool, args, options) {
        if (isRemoved) {
          const message = `The server "${source.name}" was removed. Search for another tool, or add the server again.`;
          throw new ToolwrightError('CLOSED', message);
        }
        const call = source.call(tool, args, options);
        running.add(call);
        try {
          const data = await call;
          onSuccess();
          return data;
        } finally {
          running.delete(call);
        }
      },
      probe: async () => source.probe?.(),
      cancelPaused: async (tool, state, options) => source.cancelPaused?.(tool, state, options),
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    },
    async drain() {
      isRemoved = true;
      await Promise.allSettled(running);
    },
  };
}
