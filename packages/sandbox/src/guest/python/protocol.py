"""Numbers of the bridge protocol, as in `bridge/protocol.ts`."""

RUN, REQUEST, REPLY, FAULT, NOTICE, DONE, READY, CLOCK, IDLE, TIME, PLACE, RETIRED = range(1, 13)
COMPLETED, FAILED, STOPPED = range(3)
#: File name of the program.
PROGRAM_FILE = "/program.py"
