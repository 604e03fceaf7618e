import type { Connector } from './connector.ts';
import { ToolwrightError } from './errors.ts';
import { forwardedContext } from './forwarded-context.ts';

/** The name of a connector, and its parts that are known before its code is loaded. */
export interface LazyConnectorFacts {
  readonly name: string;
  readonly description?: string | undefined;
}

/**
 * Creates a connector that loads its code when its tools, resources or prompts are first used. Unused servers cost no time at a start.
 */
export function lazyConnector({ name, description }: LazyConnectorFacts, load: () => Promise<Connector>): Connector {
  const listeners = new Set<() => void>();
  let connector: Connector | undefined;
  let loading: Promise<Connector> | undefined;
  let isClosed = false;

  async function open(): Promise<Connector> {
    const loaded = await load();
    if (isClosed) {
      await loaded[Symbol.asyncDispose]();
      throw new ToolwrightError('CLOSED', `${name} is closed. Create a new connector.`);
    }
    loaded.onToolsChanged(() => {
      for (const listener of [...listeners]) listener();
    });
    context.follow(loaded);
    connector = loaded;
    own.call = loaded.call.bind(loaded);
    return loaded;
  }
  function use(): Promise<Connector> {
    loading ??= open();
    return loading;
  }

  const context = forwardedContext(name, async (_options, work) => work(connector ?? (await use())));

  const own: Connector = {
    name,
    context,
    get description() {
      return connector ? connector.description : description;
    },
    get instructions() {
      return connector?.instructions;
    },
    status: () => connector?.status() ?? { state: isClosed ? 'closed' : 'idle', starts: 0 },
    tools: async () => (connector ?? (await use())).tools(),
    // Once the code is loaded, calls go straight to its connector.
    call: (tool, args, options) => use().then((loaded) => loaded.call(tool, args, options)),
    cancelPaused: async (tool, state, options) => (connector ?? (await use())).cancelPaused?.(tool, state, options),
    probe: async () => connector?.probe?.(),
    onToolsChanged(listener) {
      const added = () => listener();
      listeners.add(added);
      return () => listeners.delete(added);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await loading?.catch(() => undefined);
      await connector?.[Symbol.asyncDispose]();
    },
  };
  return own;
}
