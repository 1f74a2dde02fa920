#!/usr/bin/env bash
# The tree speaks of the software alone: no path of a machine it was written on, no package host, no ticket numbers.
set -euo pipefail
cd "$(dirname "$0")/.."

faults=0
look() {  # WHY PATTERN [FILE THAT MAY]
  local hits
  hits=$(find . -type f ! -path './.git' ! -path './.git/*' ! -path './build/*' ! -path './.cache/*' ! -path './scripts/check_words.sh' \
    ! -path "./${3:-none}" -exec grep -nIiE -e "$2" {} + || true)
  [ -n "$hits" ] || return 0
  printf '%s\n%s\n' "$1:" "$hits"
  faults=1
}

look "a path of one machine" '(^|[^a-z0-9_.}])/(work|root)/[a-z]|/tmp/(build|brief)'
look "a folder outside the tree" '\.\./shared' .ci/run
look "a package host" '(deb|archive|security|ports|snapshot)\.(debian|ubuntu)\.(org|com)|pypi\.org|registry\.|developer\.download\.'
look "how it was made" 'issue #?[0-9]|(this|previous|next|earlier) session|sub-?agent|language model|\bthe (brief|task text)\b|todo[:(]|fixme'
if find . -name '*[[:space:]]*' ! -path './.git/*' ! -path './build/*' | grep .; then
  echo "file names with blanks"
  faults=1
fi
[ $faults -eq 0 ] && echo "words: clean"
exit $faults
