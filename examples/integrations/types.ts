// Compiled, not run: the tools have the types that each framework expects.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent } from '@openai/agents';
import { generateText, type LanguageModel } from 'ai';
import { createAgent } from 'langchain';
import { createToolwright } from 'toolwright';
import * as aiSdk from 'toolwright/ai-sdk';
import { codeServer } from 'toolwright/claude-agent-sdk';
import * as langchain from 'toolwright/langchain';
import * as mastra from 'toolwright/mastra';
import * as openai from 'toolwright/openai-agents';

export async function program(model: LanguageModel): Promise<void> {
  const toolwright = await createToolwright();
  const session = { userId: 'ann', sessionId: 's' };
  await generateText({ model, tools: aiSdk.codeTools(toolwright, session), prompt: 'Hi' });
  createAgent({ model: 'anthropic:claude-sonnet-4-5', tools: langchain.codeTools(toolwright, session) });
  new Agent({ name: 'Shop', tools: openai.codeTools(toolwright, session) });
  new MastraAgent({
    id: 'shop',
    name: 'Shop',
    instructions: await mastra.codePrompt(toolwright),
    model: 'anthropic/claude-sonnet-4-5',
    tools: mastra.codeTools(toolwright, session),
  });
  const server = await codeServer(toolwright, session);
  query({ prompt: 'Hi', options: { mcpServers: { toolwright: server } } });
}
