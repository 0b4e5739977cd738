# into_pipe.sh PIPE READ FILE.plan: planc plan writes to a pipe; what came out of it stands in READ
mkfifo "$1" || exit 1
timeout 60 cat "$1" >"$2" &
planc plan "$3" --ranks 4 -o "$1"
code=$?
wait
exit $code
