#!/bin/sh
# SPDX-License-Identifier: MIT
# commands.sh LANESORT: asks the command whether it has the sub-commands and options that README.md and docs/*.md show
# in blocks of shell.
set -eu
lanesort=$1
cd "$(dirname "$0")/../.."
commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside && /^lanesort / { sub(/ #.*/, ""); print FILENAME, $0 }' \
    README.md docs/*.md)
[ -n "$commands" ] || { echo "the guides show no command"; exit 1; }
printf '%s\n' "$commands" |
    while read -r guide _ subcommand rest; do
        help=$("$lanesort" "$subcommand" --help-all)
        case $help in
            *"Usage: lanesort $subcommand "*) ;;
            *) echo "$guide: there is no lanesort $subcommand"; exit 1 ;;
        esac
        for word in $rest; do
            case $word in
                --* | -?) ;;
                *) continue ;;
            esac
            printf '%s' "$help" | grep -q -e "$word\b" || { echo "$guide: lanesort $subcommand has no $word"; exit 1; }
        done
    done
