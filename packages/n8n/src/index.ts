import { n8nPlugin } from './plugin.ts';

export type { N8nPolicy, N8nSettings } from './settings.ts';
export { n8nPlugin };

/** The plugin with the settings of the configuration file only; `plugins: ["@toolwright/n8n"]` loads it. */
export default n8nPlugin();
