# flagwright with git, for jobs that run in containers: docs/docker.md. `npm pack` makes the file that it installs.
FROM node:22.21.1-bookworm-slim

RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*

COPY flagwright-*.tgz /opt/flagwright/
RUN npm install --global --ignore-scripts --no-audit --no-fund /opt/flagwright/flagwright-*.tgz \
  && npm cache clean --force \
  && rm -r /opt/flagwright

USER node
WORKDIR /work
ENTRYPOINT ["flagwright"]
CMD ["help"]
