// Starts the transfer of `../transfer.mjs`, which kills this process. Arguments: the data folder, the file of the bank, the id.
import { bankServer, PROGRAM } from './program.mjs';

// A killed process owns its executions for 10 more seconds. The clock of this one is behind, so that the example need not wait.
const BEHIND_MS = 60_000;
const systemNow = Date.now;
Date.now = () => systemNow() - BEHIND_MS;
const { createToolwright } = await import('toolwright');

const [dataDir, file, executionId] = process.argv.slice(2);
const toolwright = await createToolwright({ dataDir, mcpServers: { bank: bankServer(file, '--confirm-no-deposit') } });
await toolwright.execute(PROGRAM, { executionId });
await toolwright.close();
