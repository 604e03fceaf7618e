import { TYPESCRIPT_AS_WRITTEN } from '../fixtures/ordinary-programs/everyday/typescript.ts';
import { over, testEveryday } from './compare.ts';

await testEveryday(over('typescript', TYPESCRIPT_AS_WRITTEN));
