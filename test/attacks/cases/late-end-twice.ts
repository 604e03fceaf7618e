import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'late',
  program: `setTimeout(() => { throw new Error('second') }, 0);
Promise.resolve().then(() => { throw new Error('third') });
return 'first';`,
  judge: ({ result }) =>
    result.status === 'completed' && result.value === 'first' ? undefined : 'another end was taken',
  badSandbox: 'not-run',
};

export default attack;
