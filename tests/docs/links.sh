#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh: looks whether every file and heading is there that Markdown files link to, or that other files cite as a path
# of docs/. Anchors are GitHub's: lower case, no punctuation, hyphens for spaces.
set -eu
cd "$(dirname "$0")/../.."
list=$(find * .ci .github \( -path build -o -path '*/.*' \) -prune -o -type f -print)
{
    printf '%s\n' "$list"
    grep -IHnoE '\bdocs/[A-Za-z0-9_/-]+\.md(#[a-z0-9_-]+)?' $(printf '%s\n' "$list" | grep -v '\.md$')
} | awk '
    function wants(place, folder, target,  anchor) {
        anchor = target
        sub(/#.*/, "", target)
        if (!sub(/^[^#]*#/, "", anchor)) anchor = ""
        target = folder target
        while (sub(/(^|\/)\.\//, "/", target) || sub(/[^\/.]+\/\.\.\//, "", target)) {}
        sub(/\/$/, "", target)
        wanted[++links] = target (anchor == "" ? "" : "#" anchor)
        where[links] = place
    }
    NR == FNR && /^[^:]*$/ { for (path = $0; path != ""; sub(/\/?[^\/]*$/, "", path)) there[path] = 1; next }
    NR == FNR { split($0, cited, ":"); wants(cited[1] ":" cited[2], "", cited[3]); next }
    /^ *```/ { code = !code; next }
    code { next }
    /^#+ / {
        heading = tolower($0)
        sub(/^#+ +/, "", heading)
        gsub(/\]\([^)]*\)|[^a-z0-9 _-]/, "", heading)
        gsub(/ /, "-", heading)
        anchor = FILENAME "#" heading
        there[anchor (anchor in there ? "-" ++again[anchor] : "")] = 1
    }
    {
        gsub(/`[^`]*`/, "")
        folder = FILENAME
        sub(/[^\/]*$/, "", folder)
        while (match($0, /\]\([^() ]+\)/)) {
            target = substr($0, RSTART + 2, RLENGTH - 3)
            $0 = substr($0, RSTART + RLENGTH)
            if (target ~ /^[a-z]+:/) continue
            if (target ~ /^#/) wants(FILENAME ":" FNR, "", FILENAME target)
            else wants(FILENAME ":" FNR, folder, target)
        }
    }
    END {
        for (i = 1; i <= links; ++i)
            if (!(wanted[i] in there)) { print where[i] ": " wanted[i] " is not there"; wrong = 1 }
        if (links < 100) { print "only " links " links were found"; wrong = 1 }
        exit wrong
    }
' - $(printf '%s\n' "$list" | grep '\.md$')
