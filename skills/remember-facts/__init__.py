async def remember(facts: list) -> dict:
    """Stores facts. Returns the number of new entities and of new facts."""
    names = list(dict.fromkeys(fact["about"] for fact in facts))
    found = (await servers.memory.open_nodes(names=names))["entities"]
    known = {entity["name"]: entity["observations"] for entity in found}
    types = {fact["about"]: fact["type"] for fact in facts if fact["about"] not in known}
    if types:
        drafts = [{"name": name, "entityType": kind, "observations": []} for name, kind in types.items()]
        await servers.memory.create_entities(entities=drafts)
    observations = []
    for name in names:
        own = dict.fromkeys(fact["fact"] for fact in facts if fact["about"] == name)
        contents = [fact for fact in own if fact not in known.get(name, [])]
        if contents:
            observations.append({"entityName": name, "contents": contents})
    if observations:
        await servers.memory.add_observations(observations=observations)
    return {"entities": len(types), "facts": sum(len(each["contents"]) for each in observations)}
