# The guest image of the sandbox "docker": Node, CPython and the guest files, nothing of the host. Build it with the
# command that `toolwright doctor` prints; its context is the folder dist/guest of the installed package:
#   docker build -f node_modules/@toolwright/sandbox/deploy/guest.Dockerfile -t toolwright-guest:VERSION node_modules/@toolwright/sandbox/dist/guest
FROM node:20-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx \
    /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn*
COPY . /toolwright/guest
USER 65534:65534
WORKDIR /tmp
ENTRYPOINT ["/bin/sh", "/toolwright/guest/start.sh"]
