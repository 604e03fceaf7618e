from skills.data_processor import process


async def report(most: int = 5) -> dict:
    """Returns counts of the graph, its types, and the `most` linked names."""
    graph = await servers.memory.read_graph()
    ends = [{"name": relation[end]} for relation in graph["relations"] for end in ("from", "to")]
    return {
        "entities": len(graph["entities"]),
        "relations": len(graph["relations"]),
        "types": process(graph["entities"], "entityType"),
        "linked": process(ends, "name")[:most],
    }
