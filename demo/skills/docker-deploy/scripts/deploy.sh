#!/usr/bin/env bash
# Start another version of the service "app" and return to the previous one if it
# does not become healthy. Run it beside compose.yaml.
#
# Usage: deploy.sh IMAGE TAG
set -euo pipefail

image=${1:?image, such as registry.example.org/app}
tag=${2:?tag, such as 3f9c2ab}
tries=30

state() {
  docker inspect --format '{{.State.Health.Status}}' "$(docker compose ps --quiet app)"
}

previous=$(cat .deployed 2>/dev/null || true)
docker pull --quiet "$image:$tag"
TAG=$tag docker compose up --detach --no-deps app

for ((try = 1; try <= tries; try++)); do
  case $(state) in
    healthy)
      echo "$tag" > .deployed
      echo "Runs $image:$tag, before: ${previous:-none}"
      exit 0
      ;;
    unhealthy) break ;;
  esac
  sleep 2
done

echo "Version $tag is not healthy:" >&2
docker compose logs --tail 30 app >&2
if [[ -n $previous ]]; then
  TAG=$previous docker compose up --detach --no-deps app
  echo "Returned to $previous" >&2
fi
exit 1
