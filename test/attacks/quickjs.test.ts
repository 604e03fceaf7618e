import { probeQuickjs, quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import { childCommands } from '../fixtures/processes.ts';
import { attackSandbox } from './suite.ts';

await attackSandbox({
  name: 'quickjs',
  oneOf: 12,
  languages: ['typescript'],
  probe: probeQuickjs,
  create: quickjsSandbox,
  leftovers: () => childCommands('guest/quickjs.js'),
});
