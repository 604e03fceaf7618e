import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { needsJail } from '../jail/raw.ts';
import { testComputed } from './compute.ts';

const jail = await probeJail('javascript');
needsJail(jail).describe('in the jail', () => testComputed('jail', 'typescript'));
