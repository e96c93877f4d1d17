#!/usr/bin/env bash
# Writes the review into the one comment of the pull request that begins with its mark, or into a new one. A comment that cannot be
# written changes no verdict.
set -uo pipefail

if [ -z "${PULL_REQUEST:-}" ] || [ ! -s "${COMMENT_FILE:-}" ]; then exit 0; fi
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
# One that a person has written with the same mark is not ours to change.
mine="$(gh api --paginate "$comments" --jq '.[] | select(.user.type == "Bot" and (.body | startswith("<!-- parley-review -->"))) | .id' | head -n 1)"
if [[ "$mine" =~ ^[0-9]+$ ]]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$mine" --field "body=@$COMMENT_FILE" --silent
else
  gh api --method POST "$comments" --field "body=@$COMMENT_FILE" --silent
fi || echo "::warning title=parley review::The comment could not be written: the job needs pull-requests: write"
exit 0
