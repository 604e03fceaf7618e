import { n8nPlugin } from './plugin.ts';

export type { N8nPolicy, N8nSettings } from './settings.ts';
export { n8nPlugin };

/** The plugin as a configuration loads it: its settings are those of the `n8n` object. */
export default n8nPlugin();
