# syntax=docker/dockerfile:1

FROM node:26.10.0-trixie-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY server/package.json server/
COPY codes/package.json codes/
COPY sdk/package.json sdk/
COPY examples/package.json examples/
COPY test/package.json test/
COPY web/package.json web/

# The pages. Their tools and packages stay here: the image gets the built files alone.
FROM manifests AS pages
RUN npm ci --ignore-scripts --workspace web --include-workspace-root=false --no-audit --no-fund
COPY tsconfig.json ./
COPY web web
COPY codes codes
COPY sdk/src sdk/src
RUN node web/scripts/build.ts

# The server and the command line, each as a few files.
FROM manifests AS program
RUN npm ci --ignore-scripts --workspace server --include-workspace-root=false --no-audit --no-fund
COPY codes codes
COPY sdk/src sdk/src
COPY server server
RUN node server/scripts/build.js

FROM manifests AS dependencies
# Removes development dependencies: Node is in the base image, and tools for development and tests are not needed. Without `prepare`, which
# builds the pages in a checkout. TypeScript is only installed for the types of @trpc/server.
RUN npm pkg delete devDependencies scripts.prepare --workspaces --include-workspace-root \
  && npm ci --omit=dev --workspace server --include-workspace-root=false --no-audit --no-fund \
  && rm -r node_modules/typescript node_modules/.bin/tsc node_modules/.bin/tsserver

FROM node:26.10.0-trixie-slim
LABEL org.opencontainers.image.title="Fulfillment and Inventory Service" \
  org.opencontainers.image.licenses="MIT"
# Health and metrics have a separate port, which need not be public.
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  MONITORING_PORT=9464 \
  DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY server server
COPY codes codes
COPY --from=program /app/server/dist server/dist
COPY --from=pages /app/web/dist web/dist
# The command line uses the SDK.
COPY sdk/package.json sdk/
COPY sdk/src sdk/src
RUN ln -s /app/server/bin/fulfillment.js /usr/local/bin/fulfillment \
  && install -d -o node -g node -m 700 /data
USER node
# Used only without DATABASE_URL or without ENCRYPTION_KEY.
VOLUME /data
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "server/bin/healthcheck.js"]
CMD ["node", "server/bin/server.js"]
