import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'globals',
  program: `const seen = new Set();
const queue = [globalThis];
while (queue.length > 0 && seen.size < 50_000) {
  const value = queue.pop();
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) try { queue.push(value[key]) } catch {}
  queue.push(Object.getPrototypeOf(value));
}
const texts = [...seen].flatMap((value) => Object.keys(value).map((key) => { try { return key + '=' + String(value[key]).slice(0, 500) } catch { return key } }));
return texts.filter((text) => text.includes('S3cret')).slice(0, 20);`,
  badSandbox: 'caught',
};

export default attack;
