#!/usr/bin/env bash
# Exports what ran, imports it, and pushes a branch, made anew from main each time. What is not new is not pushed.
set -euo pipefail
folder="$HOME/ledger-job"         # the clone: all that is changed in it is thrown away
budget="$HOME/ledger-env/bin/budget"
project=speech                    # the folder under ledger/
source=fox                        # the name in its imports.yaml
accounts=ec313                    # the accounts of the project, with commas between them
since=now-5weeks                  # further back than a change ever waits to be merged
branch="import/$source"

export GIT_AUTHOR_NAME="Import of $source" GIT_AUTHOR_EMAIL=import@localhost
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
umask 077
cd "$folder"
exec 9> .git/import.lock
flock --nonblock 9 || { echo "The import before this one is still at work."; exit 0; }
jobs=$(mktemp)
trap 'rm -f "$jobs"' EXIT

git fetch --quiet --prune origin
git checkout --quiet --force -B "$branch" origin/main
git clean --quiet --force -dx -- ledger
git clean --quiet --force -d -- jobs     # but not where .gitignore names it: then nobody else has these files
TZ=UTC sacct --parsable2 --allocations --duplicates --noconvert --allusers --accounts "$accounts" \
  --starttime "$since" --endtime now \
  --format JobIDRaw,JobID,Cluster,Submit,Start,End,State,ElapsedRaw,AllocTRES,ReqTRES,NNodes,JobName,Account,Partition,QOS \
  > "$jobs"
"$budget" import "$project" "$jobs" --with "$source"

git add -- ledger
if [ -d jobs ] && ! git check-ignore --quiet jobs; then git add -- jobs; fi
if git diff --cached --quiet -- "ledger/$project/runs"; then
  echo "No run is new."
elif git rev-parse --quiet --verify "origin/$branch" > /dev/null &&
  git diff --cached --quiet "origin/$branch" -- "ledger/$project/runs"; then
  echo "All of it is on $branch, and waits to be merged."
else
  git commit --quiet --message "Runs of $source"
  git push --quiet --force origin "HEAD:refs/heads/$branch"
  echo "Pushed $branch: open a change with it, if none is open."
fi
