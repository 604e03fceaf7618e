# Keeps the files of each customer in a session of their own: `toolwright run --session customer-7` for customer 7.
import os

visits = int(read_file("visits.txt")) + 1 if os.path.exists("visits.txt") else 1
write_file("visits.txt", str(visits))
result = {"visits": visits, "files": list_files(".")}
