#!/usr/bin/env bash
# Saves the state of one namespace into a folder. Reads only; secrets are left out.
# Usage: snapshot.sh NAMESPACE [FOLDER]
set -euo pipefail

namespace=${1:?usage: snapshot.sh NAMESPACE [FOLDER]}
folder=${2:-snapshot-$namespace-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$folder/logs"

get() { kubectl --namespace "$namespace" "$@"; }

get get pods --output wide > "$folder/pods.txt"
get get events --sort-by=.lastTimestamp > "$folder/events.txt"
get get deployments,statefulsets,daemonsets,services,ingresses --output yaml > "$folder/objects.yaml"
kubectl get nodes --output wide > "$folder/nodes.txt"
get top pods --containers > "$folder/usage.txt" 2>&1 || true   # needs the metrics server

get get pods --output name | while read -r pod; do
  name=${pod#pod/}
  get describe "$pod" > "$folder/$name.txt"
  get logs "$pod" --all-containers --tail=500 > "$folder/logs/$name.log" 2>&1 || true
  get logs "$pod" --all-containers --tail=500 --previous > "$folder/logs/$name.previous.log" 2>/dev/null ||
    rm -f "$folder/logs/$name.previous.log"
done

echo "Saved to $folder"
