# Calls one tool. Its answer is data, and only the result returns to the caller.
weather = await call_mcp_tool("everything__get-structured-content", {"location": "Chicago"})
result = f"{weather['temperature']} degrees in Chicago"
