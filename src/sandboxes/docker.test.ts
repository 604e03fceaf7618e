import { afterAll, it } from 'vitest';
import { engineSocket, image } from '../../test/fixtures/engines.ts';
import { casesFor, runConformanceCase } from './conformance.ts';
import { dockerSandbox } from './docker.ts';

const socketPath = engineSocket('docker');
const sandbox = dockerSandbox({ image, ...(socketPath ? { socketPath } : {}) });
/** What an adapter itself can get wrong; the rest is the guest's, and limits are in test/containers, by their effect. */
const AREAS = ['bridge', 'isolation'];
const all = process.env.TOOLWRIGHT_SUITE === 'all';
const cases = casesFor(sandbox).filter(({ area }) => socketPath !== undefined && (all || AREAS.includes(area)));

afterAll(() => sandbox[Symbol.asyncDispose]());

// One by one: cases have clocks, and a container takes its time to start.
it.each(cases)('$area: $name', (testCase) => runConformanceCase(sandbox, testCase));
