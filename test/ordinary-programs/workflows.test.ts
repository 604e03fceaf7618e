import { TYPESCRIPT_ANNOUNCED } from '../fixtures/ordinary-programs/everyday/typescript.ts';
import { TRANSFORMATIONS } from '../fixtures/ordinary-programs/transformations.ts';
import { WORKFLOWS } from '../fixtures/ordinary-programs/workflows.ts';
import { over, testOrdinary } from './compare.ts';

await testOrdinary([...over('typescript', [...TRANSFORMATIONS, ...TYPESCRIPT_ANNOUNCED]), ...WORKFLOWS]);
