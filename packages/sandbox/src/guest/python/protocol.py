"""Numbers of the bridge protocol, as in `bridge/protocol.ts`."""

RUN, REQUEST, REPLY, FAULT, NOTICE, DONE, READY, CLOCK = range(1, 9)
COMPLETED, FAILED, STOPPED = range(3)
