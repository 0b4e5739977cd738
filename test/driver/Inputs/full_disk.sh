# full_disk.sh ARGUMENTS…: what planc ARGUMENTS says, and how it ends, where standard output is a full disk
planc "$@" 2>&1 >/dev/full
echo "exit code $?"
