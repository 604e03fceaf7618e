import { describe } from 'vitest';
import { testUser } from '../fixtures/approvals-mcp.ts';

describe('the user of a client of the legacy era', () => testUser('legacy'));
