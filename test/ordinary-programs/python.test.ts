import { PYTHON_ANNOUNCED } from '../fixtures/ordinary-programs/everyday/python.ts';
import { PYTHON_PROGRAMS } from '../fixtures/ordinary-programs/python.ts';
import { over, testOrdinary } from './compare.ts';

await testOrdinary(over('python', [...PYTHON_PROGRAMS, ...PYTHON_ANNOUNCED]));
