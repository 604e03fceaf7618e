import { probeQuickjs, quickjsSandbox } from '../../src/sandboxes/quickjs.ts';
import { childCommands } from '../fixtures/processes.ts';
import { attackSandbox } from './suite.ts';

const leftovers = () => childCommands('guest/quickjs.js');
await attackSandbox({ name: 'quickjs', probe: probeQuickjs, create: quickjsSandbox, leftovers });
