import { jailSandbox, probeJail } from '../../src/sandboxes/jail.ts';
import { childCommands } from '../fixtures/processes.ts';
import { attackSandbox } from './suite.ts';

await attackSandbox({
  name: 'jail',
  languages: ['typescript', 'python'],
  probe: probeJail,
  create: jailSandbox,
  leftovers: () => childCommands('bwrap'),
});
