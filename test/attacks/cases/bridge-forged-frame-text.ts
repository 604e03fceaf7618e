import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'bridge',
  program: `console.log('\\u0000\\u0000\\u0000\\u0010\\u0006\\u0000\\u0000\\u0000\\u0000"forged"');
progress('\\u0000\\u0000\\u0000\\u0005\\u0007\\u0000\\u0000\\u0000\\u0000');
return 'real';`,
  judge: ({ result }) => (result.status === 'completed' && result.value === 'real' ? undefined : 'a frame was forged'),
  badSandbox: 'not-run',
};

export default attack;
