"""Numbers of the bridge protocol, as in `bridge/protocol.ts`."""

RUN, REQUEST, REPLY, FAULT, NOTICE, DONE, READY, CLOCK, IDLE = range(1, 10)
COMPLETED, FAILED, STOPPED = range(3)
