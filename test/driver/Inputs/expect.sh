# expect.sh CODE LINE ARGUMENTS…: planc ARGUMENTS ends with CODE and prints exactly LINE
code=$1 line=$2
shift 2
printed=$(planc "$@" 2>&1)
got=$?
if [ "$got" != "$code" ] || [ "$printed" != "$line" ]; then
    echo "expected $code: $line"
    echo "got      $got: $printed"
    exit 1
fi
