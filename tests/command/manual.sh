#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# manual.sh LANESORT: the manual page and the scripts for completion have every sub-command and option that the help
# shows, man finds no fault with the one, and the shells that are there complete by the others.
set -euo pipefail
lanesort=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
have() { command -v "$1" >/dev/null; }
# expect COMMAND... -- WORD...: what it prints is these words, in any order.
expect() {
    local command=()
    while [[ $1 != -- ]]; do
        command+=("$1")
        shift
    done
    shift
    printf '%s\n' "$@" | sort >"$dir/wanted"
    "${command[@]}" | sort >"$dir/printed"
    diff "$dir/wanted" "$dir/printed" || fail "${command[*]}"
}

"$lanesort" help --man >"$dir/lanesort.1"
for shell in bash fish zsh; do "$lanesort" completion $shell >"$dir/$shell"; done

mapfile -t commands < <("$lanesort" help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')
((${#commands[@]} > 10)) || fail "the help shows the sub-commands ${commands[*]}"
for command in "${commands[@]}"; do
    sed -n "/^\.SH lanesort $command$/,/^\.SH/p" "$dir/lanesort.1" | sed 's/\\-/-/g' >"$dir/page"
    sed -n "/^ *$command) words=/p" "$dir/bash" >"$dir/of_bash"
    sed -n "/^ *$command) _arguments/,/;;/p" "$dir/zsh" >"$dir/of_zsh"
    grep "from $command'" "$dir/fish" | sed 's/ -s / -/g; s/ -l / --/g' >"$dir/of_fish"
    mapfile -t options < <("$lanesort" "$command" --help-all | grep -oE '^ +-.*' | grep -oE '(^ +|,)-[^ ,]+' | tr -d ' ,')
    ((${#options[@]} > 2)) || fail "$command has the options ${options[*]}"
    for option in "${options[@]}"; do
        for place in page of_bash of_zsh of_fish; do
            grep -qE -e "(^|[^a-z-])$option([^a-z-]|$)" "$dir/$place" || fail "$place of $command lacks $option"
        done
    done
done

if have man; then
    MANWIDTH=80 man --warnings -l "$dir/lanesort.1" >"$dir/shown" 2>"$dir/faults"
    [[ ! -s $dir/faults ]] || fail "man says: $(cat "$dir/faults")"
    grep -q 'lanesort - sort numbers' "$dir/shown" || fail "the manual page has no name"
fi

complete_in_bash() {
    bash -c 'source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _lanesort lanesort "${@: -1}"
             printf "%s\n" "${COMPREPLY[@]}"' - "$dir/bash" "$@"
}
expect complete_in_bash lanesort ar -- argsort
expect complete_in_bash lanesort sort --miss -- --missing --missing-as
expect complete_in_bash lanesort sort goods -- ''  # which leaves it to the names of files
if have fish; then
    complete_in_fish() { HOME=$dir fish -c "source $dir/fish; complete -C '$1'" | cut -f 1; }
    expect complete_in_fish 'lanesort ar' -- argsort
    expect complete_in_fish 'lanesort sort --miss' -- --missing --missing-as
fi
if have zsh; then zsh -n "$dir/zsh"; fi
