# Passes the answer of one tool to the next. The names go through the program, not through the model.
from servers.files import list_directory
from servers.memory import create_entities

listed = (await list_directory(path="."))["content"]
names = [line.removeprefix("[FILE] ") for line in listed.split("\n") if line.startswith("[FILE]")]
entities = [{"name": name, "entityType": "file", "observations": []} for name in names]
created = await create_entities(entities=entities)
result = [entity["name"] for entity in created["entities"]]
