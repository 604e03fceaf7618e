export { n8nPlugin, n8nPlugin as default } from './plugin.ts';
export type { N8nPolicy, N8nSettings } from './settings.ts';
