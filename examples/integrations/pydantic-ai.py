"""Pydantic AI 2 over MCP: it starts "toolwright mcp". The model is a script: replace it by a model of a provider."""

import asyncio

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.function import AgentInfo, FunctionModel


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Calls one tool, and then repeats its answer."""
    names = sorted(tool.name for tool in info.function_tools)
    assert names == ["execute_code", "search_tools"], names
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("execute_code", {"code": "return 6 * 7"})])
    return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])


async def main() -> None:
    server = StdioTransport(command="npx", args=["toolwright", "mcp", "--config", "toolwright.json"])
    agent = Agent(FunctionModel(scripted), toolsets=[MCPToolset(server)])
    async with agent:
        result = await agent.run("What is six times seven?")
    assert "42" in result.output, result.output


asyncio.run(main())
