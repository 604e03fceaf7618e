// Starts the transfer of `../transfer.mjs`, which kills this process. Arguments: the data folder, the file of the bank, the id.
import { createToolwright } from 'toolwright';
import { bankServer, PROGRAM } from './program.mjs';

const [dataDir, file, executionId] = process.argv.slice(2);
const toolwright = await createToolwright({ dataDir, mcpServers: { bank: bankServer(file, '--confirm-no-deposit') } });
await toolwright.execute(PROGRAM, { executionId });
await toolwright.close();
