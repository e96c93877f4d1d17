#!/usr/bin/env bash
# Reviews the pull request, and writes what the steps behind it need to GITHUB_OUTPUT. It ends with 0 itself: the last step ends with the
# verdict's code, so that the comment is written whatever the verdict is. Nothing of the event is part of this text: all of it is in
# variables, in quotes.
set -uo pipefail

folder="$(mktemp -d "${RUNNER_TEMP:-/tmp}/parley-review.XXXXXX")"
# What is read of the checked-out tree is not trusted, and runs are kept outside of it.
export PARLEY_HOME="$folder/home"

give() { printf '%s=%s\n' "$1" "$2" >> "$GITHUB_OUTPUT"; }

cannot() { # code, words
  give verdict inconclusive
  give asked false
  give status "$1"
  printf '::%s title=parley review::%s\n' "$([ "$1" = 0 ] && echo warning || echo error)" "$2"
  printf '%s\n' "$2" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  exit 0
}

# With pull_request_target a stranger's change runs beside the repository's secrets.
if [ "${GITHUB_EVENT_NAME:-}" = pull_request_target ]; then
  cannot 7 "Not reviewed: pull_request_target gives a stranger's change this repository's secrets. Use pull_request."
fi
if [ "${GITHUB_EVENT_NAME:-}" = pull_request ] && [ "${HEAD_REPOSITORY:-}" != "${GITHUB_REPOSITORY:-}" ]; then
  [ "${INPUT_FORK:-fail}" = neutral ] && code=0 || code=7
  cannot "$code" "Not reviewed: this pull request is of a fork, which gets no secrets, so that no model can be asked. A maintainer can push the branch to this repository to have it reviewed."
fi

read -r -a parley <<< "${INPUT_COMMAND:-parley}"
options=(--json --quiet)
[ -n "${INPUT_BASE:-}" ] && options+=(--diff "$INPUT_BASE")
[ -n "${INPUT_MODELS:-}" ] && options+=(--models "$INPUT_MODELS")
[ -n "${INPUT_PACK:-}" ] && options+=(--pack "$INPUT_PACK")
options+=(--max-cost-usd "${INPUT_MAX_COST_USD:-1}")

"${parley[@]}" review "${options[@]}" > "$folder/review.json"
status=$?
field() { node -e 'const [file, key] = process.argv.slice(1); try { const value = JSON.parse(require("fs").readFileSync(file, "utf8"))[key]; if (typeof value === "string") process.stdout.write(value.replace(/[^\w -]/g, " ").slice(0, 300)); } catch {}' "$folder/review.json" "$1"; }
verdict="$(field verdict)"
run="$(field run)"

# Whatever does not say that it passes, does not.
case "$status/$verdict" in
  0/pass | 1/block) ;;
  *) verdict=inconclusive; status=7 ;;
esac
give verdict "$verdict"
give status "$status"
give run "$run"
give asked true

if [ -n "$run" ]; then
  "${parley[@]}" export "$run" --format md > "$folder/comment.md"
  "${parley[@]}" export "$run" --format sarif > "$folder/review.sarif" && give sarif "$folder/review.sarif"
  "${parley[@]}" export "$run" --format github
else
  printf '<!-- parley-review -->\n## Review: %s\n\n%s\n' "$verdict" "$(field why)" > "$folder/comment.md"
  printf '::notice title=parley review::%s: %s\n' "$verdict" "$(field why)"
fi
give comment "$folder/comment.md"
cat "$folder/comment.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
