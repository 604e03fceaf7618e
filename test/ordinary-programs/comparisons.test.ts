import { COMPARISONS } from '../fixtures/ordinary-programs/comparisons.ts';
import { JOINS } from '../fixtures/ordinary-programs/joins.ts';
import { over, testOrdinary } from './compare.ts';

await testOrdinary(over('typescript', [...COMPARISONS, ...JOINS]));
