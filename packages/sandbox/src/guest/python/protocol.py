"""Numbers of the bridge protocol, as `bridge/protocol.ts` has them."""

RUN, REQUEST, REPLY, FAULT, NOTICE, DONE, READY = range(1, 8)
COMPLETED, FAILED, STOPPED = range(3)
