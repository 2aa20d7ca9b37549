#!/usr/bin/env bash
set -euo pipefail

readonly KEEP_DAYS=14
TARGET="${BACKUP_TARGET:-/var/backups}"

log() {
    printf '%s %s\n' "$(date -u +%FT%TZ)" "$*" >&2
}

make_archive() {
    local source="$1" name="$2"
    local file="$TARGET/$name-$(date +%Y%m%d).tar.gz"
    if [[ ! -d "$source" ]]; then
        log "no such folder: $source"
        return 1
    fi
    tar -czf "$file" -C "$source" --exclude='*.tmp' .
    log "wrote $file"
    echo "$file"
}

remove_old() {
    local count=0
    while IFS= read -r file; do
        rm -f -- "$file"
        count=$((count + 1))
    done < <(find "$TARGET" -name '*.tar.gz' -mtime "+$KEEP_DAYS")
    log "removed $count archives"
}

usage() {
    cat <<TEXT
usage: backup.sh <folder> <name>
Writes an archive to $TARGET.
TEXT
}

case "${1:-}" in
    -h | --help) usage ;;
    "") usage && exit 2 ;;
    *) make_archive "$1" "${2:-data}" && remove_old ;;
esac
