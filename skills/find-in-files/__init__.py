import asyncio

from skills.files_below import files_below

MAX_FOUND = 100


async def find(path: str, text: str, ending: str = "") -> list:
    """Returns the lines with a text, in any case."""
    paths = [file for file in await files_below(path) if file.endswith(ending)]
    answers = await asyncio.gather(*(servers.files.read_text_file(path=file) for file in paths))
    return [
        {"path": file, "number": number, "line": line}
        for file, answer in zip(paths, answers)
        for number, line in enumerate(answer["content"].split("\n"), 1)
        if text.lower() in line.lower()
    ][:MAX_FOUND]
