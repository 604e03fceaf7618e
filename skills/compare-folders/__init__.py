import asyncio

from skills.files_below import files_below


async def compare(before: str, after: str) -> dict:
    """Returns the names of the files that differ."""
    old, now = await asyncio.gather(_contents(before), _contents(after))
    return {
        "added": [name for name in now if name not in old],
        "removed": [name for name in old if name not in now],
        "changed": [name for name in now if name in old and old[name] != now[name]],
    }


async def _contents(folder):
    paths = await files_below(folder)
    answers = await asyncio.gather(*(servers.files.read_text_file(path=path) for path in paths))
    return {path[len(folder) + 1 :]: answer["content"] for path, answer in zip(paths, answers)}
