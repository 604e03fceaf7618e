import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `await fs.mkdir('/workspace/toolwright').catch(() => 0);
await fs.writeFile('/toolwright/runtime.js', 'export const install = () => {}').catch(() => 0);
await fs.writeFile('/program.js', 'export default () => 666').catch(() => 0);
const seen = [];
for (const path of ['/toolwright/runtime.js', '/toolwright/faults.js', '/toolwright/../program.js', '/toolwright/x.js'])
  try {
    const module = await import(path);
    const frames = [];
    try { module.install?.((...frame) => frames.push(frame), { seed: 1, epochMs: 0, messageBytes: 1e9 }) } catch (error) { seen.push(error.message) }
    seen.push(Object.keys(module), frames.length);
  } catch (error) { seen.push(error.message.slice(0, 80)) }
return seen;`,
  badSandbox: 'not-run',
};

export default attack;
