import { afterAll, it } from 'vitest';
import { engineSocket, image } from '../../test/fixtures/engines.ts';
import { casesFor, runConformanceCase } from './conformance.ts';
import { dockerSandbox } from './docker.ts';

const socketPath = engineSocket('docker');
const sandbox = dockerSandbox({ image, ...(socketPath ? { socketPath } : {}) });
/** What an adapter itself can get wrong. Errors are the guest's alone, and limits are in test/containers, by their effect. */
const AREAS = ['api', 'bridge', 'isolation'];
const all = process.env.TOOLWRIGHT_SUITE === 'all';
const cases = casesFor(sandbox).filter(({ area }) => socketPath !== undefined && (all || AREAS.includes(area)));

afterAll(() => sandbox[Symbol.asyncDispose]());

it.concurrent.each(cases)('$area: $name', (testCase) => runConformanceCase(sandbox, testCase));
