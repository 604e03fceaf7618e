import type { Connector } from './connector.ts';
import { ToolwrightError } from './errors.ts';
import type { ContextOptions, ContextSource } from './resource.ts';

/** The resources and prompts of another connector, which is chosen for each request. */
export interface ForwardedContext extends ContextSource {
  /** Passes the changes of a connector on. */
  follow(connector: Connector): void;
  /** Reports that the lists may have changed. */
  changed(): void;
}

/** Chooses the connector of a request, and runs the request on it. */
export type UseConnector = <T>(
  options: ContextOptions | undefined,
  work: (connector: Connector) => Promise<T>,
) => Promise<T>;

/** Creates resources and prompts whose requests go to a connector that `use` chooses. */
export function forwardedContext(name: string, use: UseConnector): ForwardedContext {
  const listeners = new Set<(list: 'resources' | 'prompts') => void>();
  const announce = (list: 'resources' | 'prompts') => {
    for (const listener of [...listeners]) listener(list);
  };
  const ask = <T>(options: ContextOptions | undefined, work: (source: ContextSource) => Promise<T>): Promise<T> =>
    use(options, async ({ context }) => {
      if (context) return work(context);
      throw new ToolwrightError('NOT_SUPPORTED', `The server "${name}" has no resources and prompts.`);
    });
  return {
    resources: (options) => ask(options, (source) => source.resources(options)),
    readResource: (uri, options) => ask(options, (source) => source.readResource(uri, options)),
    subscribe: (uri, onUpdate, options) => ask(options, (source) => source.subscribe(uri, onUpdate, options)),
    prompts: (options) => ask(options, (source) => source.prompts(options)),
    getPrompt: (prompt, args, options) => ask(options, (source) => source.getPrompt(prompt, args, options)),
    complete: (request, options) => ask(options, (source) => source.complete(request, options)),
    onChanged(listener) {
      const own = (list: 'resources' | 'prompts') => listener(list);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    follow(connector) {
      connector.context?.onChanged(announce);
    },
    changed() {
      announce('resources');
      announce('prompts');
    },
  };
}
