# machines_of_help.sh LIBRARY FILE: every machine of the library is named by --help, and each name there is one that
# --machine takes.
set -eu
named=$(planc --help | tr '\n' ' ' | tr -s ' ' | sed 's/.*one of the standard library (\([^)]*\)).*/\1/' | tr -d ',')
there=$(cd "$1/machines" && ls ./*.plan | sed 's|^\./||; s|\.plan$||' | LC_ALL=C sort | tr '\n' ' ')
if [ "$named " != "$there" ]; then
    echo "--help names: $named"
    echo "there are:    $there"
    exit 1
fi
for name in $named; do
    planc cost "$2" --ranks 2 --machine "$name" 2>&1 | grep -q "of machine $name:"
    planc cost "$2" --ranks 2 --machine "std/machines/$name.plan" 2>&1 | grep -q "of machine $name:"
done
