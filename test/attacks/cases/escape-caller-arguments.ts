import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'escape',
  program: `function reveal() { return [reveal.caller, reveal.arguments, arguments.callee] }
try { return String(reveal()) } catch (error) { return error.message }`,
  badSandbox: 'not-run',
};

export default attack;
