#!/bin/sh
# Installs packages from the lockfile, with the pnpm that package.json names. Arguments: pnpm's filters.
set -eu
# The authorities of the build's network, if it has its own: --secret id=ca,src=FILE
ca=/run/secrets/ca
if [ -s "$ca" ]; then
  export NODE_EXTRA_CA_CERTS="$ca" SSL_CERT_FILE="$ca"
fi
export npm_config_cache=/cache/npm
pnpm=$(node -p 'require("./package.json").packageManager.split("+")[0]')
# No package runs a script of its own during the build.
exec npx --yes "$pnpm" install --frozen-lockfile --ignore-scripts --store-dir /cache/pnpm "$@"
