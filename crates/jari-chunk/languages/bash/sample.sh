#!/usr/bin/env bash
# A sample: what each kind of definition becomes.

set -euo pipefail

source "lib/log.sh"
. ./lib/retry.sh

# How often to try.
readonly LIMIT=3
export POOL_NAME="pool"
VERSION=1.0
STATES=(free busy)
declare -A colors=([free]=green [busy]=red)

# Takes a connection out of the pool.
# Prints its name.
take() {
  local wait="$1"
  local connection
  connection="$(head -n 1 "$POOL_NAME")"
  TMP=/tmp log_info "waited ${wait}"
  echo "$connection"
}

function tiny { :; }

# Tries three times.
function with_backoff() {
  for ((i = 0; i < LIMIT; i++)); do
    if "$@"; then
      return 0
    fi
    sleep "$i"
  done
  return 1
}

# Runs where it harms nobody.
isolated() (
  cd /tmp
  take 1
)

cleanup() {
  cat <<EOF | tee -a log
cleaned $POOL_NAME
EOF
  rm -f -- "$POOL_NAME"
}

trap cleanup EXIT

LANG=C sort names | while read -r name; do
  line="$name"
  with_backoff take "$line"
done

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
  main="yes"
  with_backoff ping -c 1 localhost
fi
