import { afterAll, it } from 'vitest';
import { engineSocket, image } from '../../test/fixtures/engines.ts';
import { casesFor, runConformanceCase } from './conformance.ts';
import { dockerSandbox } from './docker.ts';

const socketPath = engineSocket('docker');
const sandbox = dockerSandbox({ image, ...(socketPath ? { socketPath } : {}) });
const cases = socketPath === undefined ? [] : casesFor(sandbox);

afterAll(() => sandbox[Symbol.asyncDispose]());

it.concurrent.each(cases)('$area: $name', (testCase) => runConformanceCase(sandbox, testCase));
