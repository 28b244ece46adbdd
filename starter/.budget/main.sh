#!/usr/bin/env bash
# What CI does on the main branch, alike on every forge: it folds new entries, renders, keeps both as one commit, and
# builds the site. `.github/workflows/ledger.yml` and `.gitlab-ci.yml` call it there, and never for a change.
#
#   BRANCH, REMOTE         what is rendered, and the address that it is fetched from and pushed to
#   PUSH_USER, PUSH_TOKEN  who pushes; or DEPLOY_KEY, an SSH key (GitHub). Nothing but git is given them
#   LEDGER_FOLDER, SITE    the folder of the tree in its repository; where the site goes
#   FORGE                  github or gitlab: how a line becomes a mark, and what to set where the branch refuses
#   RELEASE_PROJECT, RELEASE_VERSION, RELEASE_REASON   what is to be released first, if anything is
#
# It may run at any time and as often as you like: where nothing differs, nothing is committed and nothing is pushed.
set -euo pipefail

most_tries=5
root="${LEDGER_FOLDER:-.}"
inner="${root%/}/"
inner="${inner#./}"
installed=
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT

main() {
  local try=0 state=behind
  key
  plain
  while [ "$state" = behind ] && [ "$((try += 1))" -le "$most_tries" ]; do
    newest
    git reset --quiet --hard "$tip"
    git clean --quiet --force -dx -- "$root/ledger" "$root/docs"
    install
    check
    state=ready
    pages=$(ledger tree pages)
    if [ -n "${RELEASE_PROJECT:-}" ]; then
      ledger release --message="${RELEASE_REASON:-}" -- "$RELEASE_PROJECT" "${RELEASE_VERSION:-}"
    elif [ "$pages" = people ]; then
      ledger render --check --diff --redraw
      schemas --check
    fi
    if [ "$pages" = ci ]; then
      fold
      ledger render --redraw  # a picture that a change brought can look current and be forged
      schemas
    fi
    if [ "$pages" = ci ] || [ -n "${RELEASE_PROJECT:-}" ]; then
      keep
    fi
  done
  case "$state" in
    behind) overtaken ;;
    refused) refused ;;
  esac
  ledger build --redraw --site-dir "$SITE"
}

ledger() { budget --root "$root" "$@"; }

# The only commands that are given what opens the door: in their environment, never in a line that others can see.
remote() {
  GIT_TERMINAL_PROMPT=0 GIT_CONFIG_COUNT="${basic:+1}" GIT_CONFIG_KEY_0=http.extraHeader \
    GIT_CONFIG_VALUE_0="Authorization: Basic ${basic:-}" GIT_SSH_COMMAND="${ssh:-ssh}" git "$@"
}

key() {
  local host
  basic= ssh=
  if [ -n "${DEPLOY_KEY:-}" ]; then
    host="${REMOTE#*://}"
    host="${host%%/*}"
    (umask 077 && printf '%s\n' "$DEPLOY_KEY" > "$aside/key")
    printf 'Authorization: Bearer %s\n' "${PUSH_TOKEN:-}" |
      curl --fail --silent --show-error --header @- "$GITHUB_API_URL/meta" |
      jq --raw-output --arg host "$host" '.ssh_keys[] | $host + " " + .' > "$aside/hosts"
    ssh="ssh -i $aside/key -o IdentitiesOnly=yes -o UserKnownHostsFile=$aside/hosts -o StrictHostKeyChecking=yes"
    REMOTE="git@$host:${REMOTE#*://*/}"
  elif [ -n "${PUSH_TOKEN:-}" ]; then
    basic=$(printf '%s:%s' "${PUSH_USER:-}" "$PUSH_TOKEN" | base64 | tr -d '\n')
  fi
  unset PUSH_TOKEN DEPLOY_KEY LEDGER_PUSH_TOKEN CI_JOB_TOKEN CI_REPOSITORY_URL CI_REGISTRY_PASSWORD
}

# No attribute in a file of the tree has a say in what is read and committed: no filter, no other encoding.
plain() {
  local attributes index
  attributes=$(git rev-parse --git-path info/attributes)
  index=$(git rev-parse --git-path index)
  mkdir -p "$(dirname "$attributes")"
  echo "* -text !eol !filter !ident !working-tree-encoding" > "$attributes"
  rm -f "$index"
  git reset --quiet --hard
}

newest() {
  remote fetch --quiet --no-tags "$REMOTE" "refs/heads/$BRANCH"
  tip=$(git rev-parse --verify --quiet FETCH_HEAD)
}

# Each state of the branch is rendered with the program that it names.
install() {
  local named
  named=$(git ls-tree "$tip" -- "${inner}requirements.txt" "${inner}.budget")
  [ "$named" != "$installed" ] || return 0
  python -I -m pip install --quiet -r "$root/requirements.txt"
  hash -r
  installed="$named"
}

# Two changes, each without a problem, may have one together. Findings are told, and stop nothing.
check() {
  local code=0 form=text
  [ "$FORGE" != github ] || form=github
  ledger check --format "$form" --fail-on never || code=$?
  [ "$code" -eq 0 ] || { tell error "$BRANCH does not check. Nothing was committed, and the site stays as it was."; exit "$code"; }
}

fold() {
  local code=0
  ledger tidy || code=$?
  [ "$code" -ne 2 ] || tell warning "Some single-run files were not merged into monthly files; see the log."
  [ "$code" -eq 0 ] || [ "$code" -eq 2 ] || exit "$code"
}

# What editors complete: the words of the ledger. A team may go without it.
schemas() {
  [ ! -d "$root/ledger/.schema" ] || ledger schema "$@"
}

# Commits what differs, and pushes it. A branch that has moved meanwhile is taken anew.
keep() {
  local paths=() path was="$tip" what
  for path in "$root/ledger" "$root/docs"; do
    [ ! -e "$path" ] || paths+=("$path")
  done
  git add --all --force -- "${paths[@]}"  # what .gitignore names too, or an entry could be folded into a file that is lost
  if git diff --cached --quiet; then
    echo "Everything on $BRANCH is up to date."
    return
  fi
  what="Pages of ${tip:0:7}"
  [ -z "${RELEASE_PROJECT:-}" ] || what="Release $RELEASE_PROJECT $RELEASE_VERSION"
  git -c core.hooksPath=/dev/null -c commit.gpgSign=false commit --quiet --message "$what"
  if remote push --quiet "$REMOTE" "HEAD:refs/heads/$BRANCH" > "$aside/said" 2>&1; then
    echo "Pushed to $BRANCH: $what"
    return
  fi
  newest
  state=behind
  [ "$tip" != "$was" ] || state=refused
}

overtaken() {
  if [ -n "${RELEASE_PROJECT:-}" ]; then
    tell error "Others pushed to $BRANCH at each of $most_tries tries. Nothing was released: start this job again."
    exit 1
  fi
  tell notice "Others pushed to $BRANCH at each of $most_tries tries. The run of the newest commit renders it."
}

refused() {
  local mend
  case "$FORGE" in
    github) mend="let a deploy key (secret LEDGER_DEPLOY_KEY of the environment ledger-pages) or an app past the rules of the branch" ;;
    *) mend="give a project access token that may push to the branch (variable LEDGER_PUSH_TOKEN, protected, of the environment ledger-pages), or allow job tokens to push" ;;
  esac
  tr -d '\000-\010\013-\037' < "$aside/said" | head -n 20 | sed -e 's/::/: :/g' -e 's/##\[/# [/g' -e 's/^/git: /'
  if [ -n "${RELEASE_PROJECT:-}" ]; then
    tell error "$BRANCH refuses commits of this job, so nothing was released: $mend. Or release by hand, in a change."
    exit 1
  fi
  tell warning "$BRANCH refuses commits of this job, so only the site was brought up to date: $mend; or write pages: none into ledger/tree.yaml, and nothing is committed."
}

# A line of the log, and a mark where the forge has them.
tell() {
  if [ "$FORGE" = github ]; then
    printf '::%s title=Budget ledger::%s\n' "$1" "$2"
  else
    printf '%s: %s\n' "$1" "$2"
  fi
}

main
exit
