import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { childCommands } from '../fixtures/processes.ts';
import { attackSandbox } from './suite.ts';

await attackSandbox({
  name: 'jail',
  area: 'jail',
  oneOf: 16,
  languages: ['typescript', 'python'],
  probe: probeJail,
  create: jailSandbox,
  leftovers: () => childCommands('bwrap'),
});
