# Goes on where the last program of the session ended: files in /workspace stay.
import json
import os

done = json.loads(read_file("done.json")) if os.path.exists("done.json") else []
todo = [part for part in ["read", "check", "send"] if part not in done]
if todo:
    done.append(todo[0])
    write_file("done.json", json.dumps(done))
result = {"done": done, "left": len(todo[1:])}
