# Tries again until a tool answers, and reports the mistake of a call that cannot work.
tries = 0
while True:
    tries += 1
    try:
        text = (await servers.files.read_text_file(path="report.md"))["content"]
        break
    except ToolError as error:
        if tries == 3:
            raise
        await servers.files.write_file(path="report.md", content=f"Written after the error {error.code}.")
result = {"tries": tries, "text": text}
