import json


async def files_below(path: str) -> list:
    """Returns the paths of the files in a folder and below, sorted."""
    tree = await servers.files.directory_tree(path=path)
    return sorted(_paths(path, json.loads(tree["content"])))


def _paths(folder, entries):
    for entry in entries:
        path = f"{folder}/{entry['name']}"
        if entry["type"] == "file":
            yield path
        else:
            yield from _paths(path, entry.get("children", []))
