"""Numbers of the bridge protocol, as in `bridge/protocol.ts`."""

RUN, REQUEST, REPLY, FAULT, NOTICE, DONE, READY = range(1, 8)
COMPLETED, FAILED, STOPPED = range(3)
