"""The answer of `get_mcp_tool_details`: a text that has the parts of the definition as fields."""


class ToolDetails(str):
    """The text of a definition. Its parts are attributes and keys: `details.description`, `details["description"]`."""

    def __new__(cls, answer):
        details = super().__new__(cls, answer["text"])
        details.__dict__.update((name, value) for name, value in answer.items() if name != "text")
        details.parameters = answer.get("inputSchema")
        return details

    def __getitem__(self, key):
        return self.__dict__[key] if isinstance(key, str) else super().__getitem__(key)

    def get(self, key, default=None):
        return self.__dict__.get(key, default)
