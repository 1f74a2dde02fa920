# Sourced: what is drawn anew by the commit.

# The checked-out commit, read without git; zeros outside a checkout.
commit() {
  local head name
  head=$(cat .git/HEAD 2>/dev/null) || head=
  if [ "${head#ref: }" != "$head" ]; then
    name=${head#ref: }
    head=$(cat ".git/$name" 2>/dev/null || grep -s " $name\$" .git/packed-refs || true)
  fi
  head=${head:0:7}
  echo "${head:-0000000}"
}

commit_seed() { echo $((16#$(commit))); }
