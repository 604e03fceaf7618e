import asyncio


async def compare(cities: list) -> list:
    """Returns the cities with their weather, the warmest first."""
    answers = await asyncio.gather(*(servers.everything.get_structured_content(location=city) for city in cities))
    found = [{"location": city, **answer} for city, answer in zip(cities, answers)]
    return sorted(found, key=lambda each: each["temperature"], reverse=True)
