from skills.files_below import files_below


async def replace(path: str, text: str, by: str, write: bool = False) -> list:
    """Returns the files that have the text, with the number of times. Changes them only with `write`."""
    changes = []
    for file in await files_below(path):
        content = (await servers.files.read_text_file(path=file))["content"]
        count = content.count(text)
        if count == 0:
            continue
        changes.append({"path": file, "count": count})
        if write:
            await servers.files.write_file(path=file, content=content.replace(text, by))
    return changes
