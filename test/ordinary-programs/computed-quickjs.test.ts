import { testComputed } from './compute.ts';

testComputed('quickjs', 'typescript');
