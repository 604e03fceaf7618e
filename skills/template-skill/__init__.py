import asyncio


async def repeat(text: str, times: int = 2) -> str:
    """Returns the text as often as `times` says, one line each."""
    lines = await asyncio.gather(*(servers.everything.echo(message=text) for _ in range(times)))
    return "\n".join(lines)
