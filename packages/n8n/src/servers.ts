import { type Connector, inlineConnector } from '@toolwright/core';
import type { NodeCatalog } from './catalogs/catalog.ts';
import { defaultCacheFolder, openCatalog } from './catalogs/folder.ts';
import { createClient, type N8nClient } from './instances/client.ts';
import { createPolicyCheck } from './instances/policy.ts';
import { nodeTools } from './nodes/tools.ts';
import type { N8nSettings } from './settings.ts';
import { createLibrary } from './templates/library.ts';
import { templateTools } from './templates/tools.ts';
import { workflowTools } from './workflows/tools.ts';

/** Creates the three n8n servers. Files and connections are opened by the first tool call that needs them. */
export function n8nConnectors(settings: N8nSettings): Connector[] {
  const folder = settings.cacheDir ?? defaultCacheFolder();
  const catalog = once((): NodeCatalog => openCatalog(folder, settings.catalog));
  const client = once((): N8nClient => createClient(settings));
  const policyCheck = createPolicyCheck(settings.policy);
  const library = once(() => createLibrary(folder, settings.templatesUrl));
  return [
    inlineConnector('n8n-nodes', {
      description: "n8n's node types: search and describe them",
      tools: nodeTools(catalog, settings.registryUrl),
    }),
    inlineConnector('n8n-templates', {
      description: 'Workflow templates of the n8n community',
      tools: templateTools(library, catalog),
    }),
    inlineConnector('n8n-workflows', {
      description: 'n8n workflows: build, validate, create, change, publish and run them',
      tools: workflowTools({ catalog, client, policyCheck }),
    }),
  ];
}

/** Creates a value on the first call. A failure is not cached, so a later call can succeed. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
